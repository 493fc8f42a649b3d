import * as Radix from '@radix-ui/react-dropdown-menu'
import type { ReactNode } from 'react'
import type { EndpointId } from '../api.ts'
import { useAllowed } from './allowed.tsx'
import { IconButton } from './button.tsx'
import { Icon } from './icons.tsx'
import './menu.css'

export interface MenuItem {
  readonly label: string
  readonly onChoose: () => void
  readonly isDangerous?: boolean
  readonly isOff?: boolean
  /** Of several that one is chosen of: it is this one now. */
  readonly isCurrent?: boolean
  /** What it calls: whoever may not call it does not see the item. */
  readonly needs?: EndpointId | undefined
}

/** What else can be done with this. Without anything that one may do there is no menu. */
export function Menu({ label, items, trigger }: { label: string; items: readonly MenuItem[]; trigger?: ReactNode }) {
  const isAllowed = useAllowed()
  const offered = items.filter(({ needs }) => needs === undefined || isAllowed(needs))
  if (offered.length === 0) return null
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger ?? <IconButton icon="more" label={label} />}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align="end" sideOffset={4}>
          {offered.map(({ label: name, onChoose, isDangerous, isOff = false, isCurrent = false }) => (
            <Radix.Item
              key={name}
              className={isDangerous ? 'danger' : ''}
              disabled={isOff}
              {...(isCurrent && { 'aria-current': true })}
              onSelect={() => setTimeout(onChoose)} // a dialog takes the focus once the menu has given it back
            >
              {name}
              {isCurrent && <Icon name="check" />}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
