import { useEffect, useRef, useState } from 'react'
import { sendJson } from '../api.ts'
import { problemText } from '../problems.ts'
import { Button } from '../ui/button.tsx'
import { verification } from '../ui/verification.tsx'
import { forgetLink, type TakenLink } from './link.ts'
import { Logo } from './logo.tsx'
import { useEntering } from './session.ts'
import './sign-in.css'
import { texts } from './texts.ts'

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
        <h1>{error ? texts.linkPage.broken : texts.signIn.title}</h1>
        {error ? (
          <>
            <p role="alert">{error}</p>
            <p className="muted">{texts.linkPage.brokenNote}</p>
          </>
        ) : (
          <p className="muted">{texts.linkPage.note}</p>
        )}
        {error ? (
          <Button look="primary" onClick={forgetLink}>
            {texts.linkPage.newLink}
          </Button>
        ) : (
          <Button
            look="primary"
            isBusy={isBusy}
            autoFocus
            onClick={() =>
              enter(() => sendJson('POST', '/dashboard/sign-in', { token })).then((isIn) => isIn && forgetLink())
            }
          >
            {texts.signIn.title}
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
        <h1>{state === 'done' ? texts.linkPage.confirmed : texts.linkPage.failed}</h1>
        {state === 'done' ? (
          <p role="status">{texts.linkPage.confirmedNote}</p>
        ) : (
          <p className="form-error" role="alert">
            {problemText(state)}
          </p>
        )}
        <Button onClick={forgetLink}>{texts.linkPage.goToDashboard}</Button>
      </div>
    </main>
  )
}
