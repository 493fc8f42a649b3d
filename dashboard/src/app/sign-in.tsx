import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sendJson } from '../api.ts'
import { useInvitationToken } from '../invitation.ts'
import { answerWithPasskey, canUsePasskeys } from '../passkeys.ts'
import { problemText } from '../problems.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { rich } from '../ui/rich.tsx'
import { JoinTeam } from './join-team.tsx'
import { Logo } from './logo.tsx'
import { signIn, useEntering, wasLinkRefused } from './session.ts'
import './sign-in.css'
import { texts } from './texts.ts'

/** What can be used to sign in here. */
interface Ways {
  readonly passkeys: { readonly origin: string } | null
  readonly is_link_logged: boolean
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

/** What is said of a link whether there is somebody with this address or not. */
interface SentLink {
  readonly email: string
  readonly is_received_here: boolean
}

export function SignIn() {
  const ways = useQuery({ queryKey: ['sign-in'], queryFn: () => sendJson<Ways>('GET', '/dashboard/sign-in') })
  const { enter, error, isBusy } = useEntering()
  const [way, setWay] = useState<'person' | 'key'>('person')
  const invitation = useInvitationToken()
  /** Who was invited and has an account: the address that they sign in with. */
  const [invited, setInvited] = useState<{ readonly token: string; readonly email: string } | null>(null)
  const email = invited && invited.token === invitation ? invited.email : undefined
  return (
    <main className="sign-in">
      <div className="form">
        <Logo />
        {invitation !== null && email === undefined ? (
          <JoinTeam token={invitation} onSignIn={(address) => setInvited({ token: invitation, email: address })} />
        ) : (
          <>
            <h1>{texts.signIn.title}</h1>
            {wasLinkRefused() && (
              <p className="notice" role="status">
                {texts.signIn.usedLink}
              </p>
            )}
            {way === 'person' && ways.data && <AsPerson ways={ways.data} email={email} enter={enter} isBusy={isBusy} />}
            {way === 'key' && <WithKey enter={enter} isBusy={isBusy} />}
            {(error ?? ways.error) && (
              <p className="form-error" role="alert">
                {error ?? (ways.error && problemText(ways.error))}
              </p>
            )}
            <Button look="quiet" onClick={() => setWay(way === 'key' ? 'person' : 'key')}>
              {way === 'key' ? texts.signIn.otherOptions : texts.signIn.useApiKey}
            </Button>
          </>
        )}
      </div>
    </main>
  )
}

type Entering = Pick<ReturnType<typeof useEntering>, 'enter' | 'isBusy'>

function AsPerson({ ways, email, enter, isBusy }: Entering & { ways: Ways; email: string | undefined }) {
  const here = `${location.pathname}${location.search}`
  return (
    <>
      {canUsePasskeys(ways.passkeys?.origin ?? null) && (
        <Button
          look="primary"
          icon="key"
          isBusy={isBusy}
          onClick={() => enter(() => answerWithPasskey('/dashboard/sign-in/passkey'))}
        >
          {texts.signIn.passkey}
        </Button>
      )}
      {ways.providers.map(({ id, name }) => (
        <a
          key={id}
          className="button plain"
          href={`/dashboard/sign-in/oidc/${encodeURIComponent(id)}?${new URLSearchParams({ next: here })}`}
        >
          {texts.signIn.provider(name)}
        </a>
      ))}
      <ByMail isLogged={ways.is_link_logged} email={email} />
    </>
  )
}

function ByMail({ isLogged, email: known }: { isLogged: boolean; email: string | undefined }) {
  const [sentTo, setSentTo] = useState<SentLink | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email')).trim()
    setBusy(true)
    setError(null)
    setSentTo(null)
    await sendJson<SentLink>('POST', '/dashboard/sign-in/link', { email }).then(
      (link) => setSentTo(link),
      (reason: Error) => setError(problemText(reason)),
    )
    setBusy(false)
  }
  return (
    <form className="form-part" onSubmit={submit}>
      <Field label={texts.signIn.email}>
        {(common) => (
          <input {...common} name="email" type="email" autoComplete="username" defaultValue={known} required />
        )}
      </Field>
      <Button type="submit" icon="mail" isBusy={isBusy}>
        {texts.signIn.emailLink}
      </Button>
      {sentTo && (
        <p role="status">
          {rich(texts.signIn.linkSent, { email: <strong>{sentTo.email}</strong> })}
          {isLogged && ` ${texts.signIn.linkLogged}`}
          {sentTo.is_received_here && ` ${texts.signIn.linkNotSent}`}
        </p>
      )}
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
    </form>
  )
}

function WithKey({ enter, isBusy }: Entering) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget).get('key'))
    enter(() => signIn(key))
  }
  return (
    <form className="form-part" onSubmit={submit}>
      <p className="muted">
        {rich(texts.signIn.apiKeyNote, {
          file: <code>api-key</code>,
          command: <code>postwren user link EMAIL</code>,
        })}
      </p>
      <Field label={texts.signIn.apiKey}>
        {(common) => (
          <input
            {...common}
            name="key"
            type="password"
            autoComplete="current-password"
            placeholder={texts.signIn.apiKeyPlaceholder}
            required
            // biome-ignore lint/a11y/noAutofocus: whoever asks for the field wants to fill it in
            autoFocus
          />
        )}
      </Field>
      <Button type="submit" look="primary" isBusy={isBusy}>
        {texts.signIn.title}
      </Button>
    </form>
  )
}
