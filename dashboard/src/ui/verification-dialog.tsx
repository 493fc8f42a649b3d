import { useEffect, useState } from 'react'
import { sendJson } from '../api.ts'
import { answerWithPasskey, canUsePasskeys } from '../passkeys.ts'
import { problemText } from '../problems.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { rich } from './rich.tsx'
import { texts } from './texts.ts'
import { settle, verification } from './verification.tsx'

/** What a fresh proof can be: passkeys at this address, and mail to this one. */
interface Ways {
  readonly passkeys: { readonly origin: string } | null
  readonly email: string
  /** Others can read the mail to that address here, so a link that is mailed to it is withheld. */
  readonly is_received_here: boolean
}

export const VerificationDialog = () => (
  <Dialog title={texts.verification.title} note={texts.verification.note} isOpen onClose={() => settle('reject')}>
    <Proof />
  </Dialog>
)

function Proof() {
  const [ways, setWays] = useState<Ways | null>(null)
  const [isSent, setSent] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const attempt = (work: () => Promise<unknown>) => async () => {
    setBusy(true)
    setError(null)
    await work().catch((reason: Error) => setError(problemText(reason)))
    setBusy(false)
  }
  useEffect(() => {
    sendJson<Ways>('GET', '/dashboard/verify').then(setWays, (reason: Error) => setError(problemText(reason)))
    const done = () => settle('resolve')
    verification.addEventListener('message', done)
    return () => verification.removeEventListener('message', done)
  }, [])
  const usePasskey = attempt(() => answerWithPasskey('/dashboard/verify/passkey').then(() => settle('resolve')))
  const sendLink = attempt(() => sendJson('POST', '/dashboard/verify/link', {}).then(() => setSent(true)))
  return (
    <>
      {isSent && <p role="status">{rich(texts.verification.linkSent, { email: <strong>{ways?.email}</strong> })}</p>}
      {ways?.is_received_here && !ways.passkeys && (
        <p>{rich(texts.verification.receivedHere, { email: <strong>{ways.email}</strong> })}</p>
      )}
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="actions">
        <Button onClick={() => settle('reject')}>{texts.dialog.cancel}</Button>
        {ways && !ways.is_received_here && (
          <Button isBusy={isBusy} onClick={sendLink}>
            {isSent ? texts.verification.resendLink : texts.verification.sendLink}
          </Button>
        )}
        {ways?.passkeys && canUsePasskeys(ways.passkeys.origin) && (
          <Button look="primary" isBusy={isBusy} onClick={usePasskey}>
            {texts.verification.usePasskey}
          </Button>
        )}
      </div>
    </>
  )
}
