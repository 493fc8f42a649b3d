import { SendTestForm, type TestEmail } from '../../editor/send-test.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { FullBroadcast } from './api.ts'
import { Review } from './review.tsx'
import { texts } from './texts.ts'

interface SendDialogProps {
  /** As it is saved: this is what is sent. */
  readonly broadcast: FullBroadcast
  /** As the chosen contact gets it. */
  readonly email: TestEmail
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** First to yourself, then to everybody, when all that is about to happen has been seen. */
export function SendDialog({ broadcast, email, isOpen, onClose }: SendDialogProps) {
  return (
    <Dialog title={texts.sendDialog.title} isOpen={isOpen} onClose={onClose}>
      <SendTestForm email={email} />
      <hr />
      <Review broadcast={broadcast} onSent={onClose} />
    </Dialog>
  )
}
