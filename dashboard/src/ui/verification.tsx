import { useEffect, useState, useSyncExternalStore } from 'react'
import { ApiProblem, sendJson } from '../api.ts'
import { answerWithPasskey, canUsePasskeys } from '../passkeys.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

// Dangerous acts ask for a proof that is fresh: see `requireFresh` of the server. Whoever acts need not know which ones.

interface Waiting {
  readonly resolve: () => void
  readonly reject: () => void
}

let waiting: readonly Waiting[] = []
const listeners = new Set<() => void>()

function change(next: readonly Waiting[]) {
  waiting = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Does something; if that needs a fresh proof of who is signed in, asks for it and does it again. `useAct` does so by itself. */
export async function verified<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act()
  } catch (error) {
    if (!isUnproven(error)) throw error
    await new Promise<void>((resolve, reject) => change([...waiting, { resolve, reject: () => reject(error) }]))
    return act().catch((again) => {
      if (!isUnproven(again)) throw again
      // Another process of the service may trust for a moment what it knew before.
      return new Promise((resolve) => setTimeout(resolve, NOTICED_MS)).then(act)
    })
  }
}

const NOTICED_MS = 1_000

const isUnproven = (error: unknown) => error instanceof ApiProblem && error.name === 'verification_required'

/** Tells the other tabs of this browser that somebody has proven who they are: one of them may be waiting for it. */
export const verification = new BroadcastChannel('postwren-verification')

function settle(how: 'resolve' | 'reject') {
  const settled = waiting
  change([])
  for (const one of settled) one[how]()
}

/** What a fresh proof can be: passkeys at this address, and mail to this one. */
interface Ways {
  readonly passkeys: { readonly origin: string } | null
  readonly email: string
  /** Others can read the mail to that address here, so a link that is mailed to it is withheld. */
  readonly is_received_here: boolean
}

/** The dialog that asks for the proof. There is one, for all who wait. */
export function Verification() {
  const isOpen = useSyncExternalStore(subscribe, () => waiting.length > 0)
  return (
    <Dialog
      title="Confirm your identity"
      note="This action requires a recent sign-in."
      isOpen={isOpen}
      onClose={() => settle('reject')}
    >
      {isOpen && <Proof />}
    </Dialog>
  )
}

function Proof() {
  const [ways, setWays] = useState<Ways | null>(null)
  const [isSent, setSent] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const attempt = (work: () => Promise<unknown>) => async () => {
    setBusy(true)
    setError(null)
    await work().catch((reason: Error) => setError(reason.message))
    setBusy(false)
  }
  useEffect(() => {
    sendJson<Ways>('GET', '/dashboard/verify').then(setWays, (reason: Error) => setError(reason.message))
    const done = () => settle('resolve')
    verification.addEventListener('message', done)
    return () => verification.removeEventListener('message', done)
  }, [])
  const usePasskey = attempt(() => answerWithPasskey('/dashboard/verify/passkey').then(() => settle('resolve')))
  const sendLink = attempt(() => sendJson('POST', '/dashboard/verify/link', {}).then(() => setSent(true)))
  return (
    <>
      {isSent && (
        <p role="status">
          A link was sent to <strong>{ways?.email}</strong>. Open it in this browser to continue.
        </p>
      )}
      {ways?.is_received_here && !ways.passkeys && (
        <p>
          Mail to <strong>{ways.email}</strong> is received by this installation, where others can read it, so no link
          can be sent to you. Sign in again with another option, then try again.
        </p>
      )}
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="actions">
        <Button onClick={() => settle('reject')}>Cancel</Button>
        {ways && !ways.is_received_here && (
          <Button isBusy={isBusy} onClick={sendLink}>
            {isSent ? 'Resend link' : 'Email me a link'}
          </Button>
        )}
        {ways?.passkeys && canUsePasskeys(ways.passkeys.origin) && (
          <Button look="primary" isBusy={isBusy} onClick={usePasskey}>
            Use a passkey
          </Button>
        )}
      </div>
    </>
  )
}
