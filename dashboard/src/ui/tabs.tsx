import * as Radix from '@radix-ui/react-tabs'
import type { ReactNode } from 'react'
import './tabs.css'

export interface Tab {
  readonly name: string
  readonly content: ReactNode
  readonly count?: number | undefined
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <Radix.Root className="tabs" defaultValue={tabs[0]!.name}>
      <Radix.List aria-label={label}>
        {tabs.map(({ name, count }) => (
          <Radix.Trigger key={name} value={name}>
            {name}
            {count ? <span className="count">{count}</span> : null}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ name, content }) => (
        <Radix.Content key={name} value={name}>
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
