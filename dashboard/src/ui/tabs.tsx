import * as Radix from '@radix-ui/react-tabs'
import type { ReactNode } from 'react'
import './tabs.css'

export interface Tab {
  readonly name: string
  readonly content: ReactNode
  readonly count?: number | undefined
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** Which one is open, where the page says so: in its address, for instance. */
  readonly open?: string
  readonly onOpen?: (name: string) => void
}

export function Tabs({ label, tabs, open, onOpen }: TabsProps) {
  return (
    <Radix.Root
      className="tabs"
      {...(open === undefined ? { defaultValue: tabs[0]!.name } : { value: open })}
      {...(onOpen && { onValueChange: onOpen })}
    >
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
