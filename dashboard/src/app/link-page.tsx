import { useEffect, useRef, useState } from 'react'
import { sendJson } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { verification } from '../ui/verification.tsx'
import { forgetLink, type TakenLink } from './link.ts'
import { Logo } from './logo.tsx'
import { useEntering } from './session.ts'
import './sign-in.css'

/** What a link leads to that was mailed or printed. */
export const LinkPage = ({ link }: { link: TakenLink }) =>
  link.what === 'sign-in' ? <UseLink token={link.token} /> : <Prove token={link.token} />

/** A link is good once: a program that opens it to look for harm, and runs its scripts, presses no button. */
function UseLink({ token }: { token: string }) {
  const { enter, error, isBusy } = useEntering()
  return (
    <main className="sign-in">
      <div className="form">
        <Logo />
        <h1>Sign in</h1>
        {error ? (
          <p className="form-error" role="alert">
            {error}
          </p>
        ) : (
          <p className="muted">This link signs you in to this browser.</p>
        )}
        {error ? (
          <Button onClick={forgetLink}>Sign in another way</Button>
        ) : (
          <Button
            look="primary"
            isBusy={isBusy}
            autoFocus
            onClick={() =>
              enter(() => sendJson('POST', '/dashboard/sign-in', { token })).then((isIn) => isIn && forgetLink())
            }
          >
            Sign in
          </Button>
        )}
      </div>
    </main>
  )
}

/** Needs the session that asked for it, so nothing but this browser can use it up. */
function Prove({ token }: { token: string }) {
  const [state, setState] = useState<'busy' | 'done' | Error>('busy')
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    sendJson('POST', '/dashboard/verify', { token }).then(
      () => {
        verification.postMessage('verified')
        setState('done')
      },
      (error: Error) => setState(error),
    )
  }, [token])
  if (state === 'busy') return null
  return (
    <main className="sign-in">
      <div className="form">
        <Logo />
        <h1>{state === 'done' ? 'Confirmed' : 'Confirmation failed'}</h1>
        {state === 'done' ? (
          <p role="status">The other page continues automatically. You can close this one.</p>
        ) : (
          <p className="form-error" role="alert">
            {state.message}
          </p>
        )}
        <Button onClick={forgetLink}>Go to dashboard</Button>
      </div>
    </main>
  )
}
