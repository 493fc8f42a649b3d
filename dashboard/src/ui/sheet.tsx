import * as Radix from '@radix-ui/react-dialog'
import type { ReactNode } from 'react'
import { useFocusBack } from './focus-back.ts'
import './sheet.css'

interface SheetProps {
  /** Told to screen readers: what is in a sheet speaks for itself. */
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A panel that slides in from the side of a small window, and closes like a dialog. */
export function Sheet({ title, isOpen, onClose, children }: SheetProps) {
  const { remember, giveBack } = useFocusBack()
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => open || onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content
          className="sheet"
          aria-describedby={undefined}
          onOpenAutoFocus={remember}
          onCloseAutoFocus={giveBack}
        >
          <Radix.Title className="hidden">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
