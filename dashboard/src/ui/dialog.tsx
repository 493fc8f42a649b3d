import * as Radix from '@radix-ui/react-dialog'
import { type ReactNode, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import './dialog.css'

interface DialogProps {
  readonly title: string
  readonly note?: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly isWide?: boolean
}

export function Dialog({ title, note, isOpen, onClose, children, isWide = false }: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => open || onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content
          className={isWide ? 'dialog wide' : 'dialog'}
          {...(note === undefined && { 'aria-describedby': undefined })}
        >
          <header>
            <Radix.Title>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon="close" label="Close" />
            </Radix.Close>
          </header>
          {note !== undefined && <Radix.Description className="muted">{note}</Radix.Description>}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly note: ReactNode
  readonly act: string
  /** The button that changes nothing: `Back`, where `Cancel` would be read as the action. */
  readonly dismiss?: string
  readonly look?: 'danger' | 'primary'
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Closes when it is done; stays open, with the reason below, when it is refused. */
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before an action that cannot be undone. */
export function Confirm({
  title,
  note,
  act,
  dismiss = 'Cancel',
  look = 'danger',
  isOpen,
  onClose,
  onConfirm,
}: ConfirmProps) {
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    await onConfirm().then(onClose, () => {})
    setBusy(false)
  }
  return (
    <Dialog title={title} note={note} isOpen={isOpen} onClose={onClose}>
      <div className="actions">
        <Button onClick={onClose}>{dismiss}</Button>
        <Button look={look} isBusy={isBusy} onClick={confirm}>
          {act}
        </Button>
      </div>
    </Dialog>
  )
}
