import * as Radix from '@radix-ui/react-dialog'
import { type ReactNode, useState } from 'react'
import { showHere } from '../problems.ts'
import { Button, IconButton } from './button.tsx'
import { useFocusBack } from './focus-back.ts'
import './dialog.css'
import { texts } from './texts.ts'

interface DialogProps {
  readonly title: string
  readonly note?: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly isWide?: boolean
}

export function Dialog({ title, note, isOpen, onClose, children, isWide = false }: DialogProps) {
  const { remember, giveBack } = useFocusBack()
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => open || onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content
          className={isWide ? 'dialog wide' : 'dialog'}
          onOpenAutoFocus={(event) => {
            remember()
            focusFirstField(event)
          }}
          onCloseAutoFocus={giveBack}
          {...(note === undefined && { 'aria-describedby': undefined })}
        >
          <header>
            <Radix.Title>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon="close" label={texts.dialog.close} />
            </Radix.Close>
          </header>
          <div className="dialog-body">
            {note !== undefined && <Radix.Description className="muted">{note}</Radix.Description>}
            {children}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** A dialog begins on its first field; one without fields on its first button, which is not the one that closes it. */
function focusFirstField(event: Event) {
  const body = (event.currentTarget as HTMLElement).querySelector('.dialog-body')
  const first =
    body?.querySelector<HTMLElement>('[autofocus]') ??
    body?.querySelector<HTMLElement>(':is(input:not([type="hidden"]), select, textarea, [contenteditable]):enabled') ??
    body?.querySelector<HTMLElement>(':is(button, a[href]):not(:disabled)')
  if (!first) return
  event.preventDefault()
  first.focus()
  if (first instanceof HTMLInputElement && first.type === 'text') first.select()
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
  /** What else is to be chosen. */
  readonly children?: ReactNode
}

/** Asks before an action that cannot be undone. */
export function Confirm({
  title,
  note,
  act,
  dismiss = texts.dialog.cancel,
  look = 'danger',
  isOpen,
  onClose,
  onConfirm,
  children,
}: ConfirmProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const close = () => {
    setError(null)
    onClose()
  }
  const confirm = async () => {
    setBusy(true)
    setError(null)
    await onConfirm().then(close, (reason: Error) => setError(showHere(reason)))
    setBusy(false)
  }
  return (
    <Dialog title={title} note={note} isOpen={isOpen} onClose={close}>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      {children}
      <div className="actions">
        <Button onClick={close}>{dismiss}</Button>
        <Button look={look} isBusy={isBusy} onClick={confirm}>
          {act}
        </Button>
      </div>
    </Dialog>
  )
}
