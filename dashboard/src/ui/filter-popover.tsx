import * as Popover from '@radix-ui/react-popover'
import type { RefObject } from 'react'
import { FilterPanel, type PanelProps } from './filter-panel.tsx'
import { texts } from './texts.ts'

interface FilterPopoverProps extends PanelProps {
  readonly button: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

/** The panel below its button. It is fetched with what places it, when somebody opens it. */
export function FilterPopover({ button, onClose, ...panel }: FilterPopoverProps) {
  return (
    <Popover.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Popover.Anchor virtualRef={button as RefObject<HTMLButtonElement>} />
      <Popover.Portal>
        <Popover.Content
          className="filter-panel"
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={texts.filters.title}
          // The button closes it by itself.
          onInteractOutside={(event) => button.current?.contains(event.target as Node) && event.preventDefault()}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            button.current?.focus()
          }}
        >
          <FilterPanel {...panel} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
