import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { describeRequest } from '../../../src/features/oauth/authorization.ts'
import { sendJson } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/field.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { Logo } from './logo.tsx'
import { type Session, signOut, useSession, whoIs } from './session.ts'
import './authorize-page.css'

type Asked = Awaited<ReturnType<typeof describeRequest>>

const MEANINGS: Readonly<Record<Asked['scopes'][number], string>> = {
  full_access: 'Do everything that you may do in this team: mail, contacts, settings, API keys.',
  'emails:send': 'Send email.',
}

/** Where somebody lets a program in, or does not. The program has sent them here. */
export function AuthorizePage() {
  const { request } = useSearch({ from: '/authorize' })
  const { data: session } = useSession()
  const asked = useQuery({
    queryKey: ['oauth-request', request],
    queryFn: () =>
      sendJson<Asked>('GET', `/dashboard/oauth/request?${new URLSearchParams({ request: request ?? '' })}`),
    retry: false,
  })
  if (asked.isPending || !session) return <Loading />
  if (asked.isError) return <Failed error={asked.error} onRetry={() => asked.refetch()} />
  return <Question asked={asked.data} session={session} request={request ?? ''} />
}

function Question({ asked, session, request }: { asked: Asked; session: Session; request: string }) {
  const [team, setTeam] = useState(session.team?.id ?? session.teams[0]?.id ?? '')
  const [state, setState] = useState<'asking' | 'busy' | 'answered'>('asking')
  const [error, setError] = useState<string | null>(null)
  const { name, host, kind } = asked.client
  const role = session.teams.find(({ id }) => id === team)?.role
  const answer = async (word: 'approve' | 'deny') => {
    setState('busy')
    setError(null)
    try {
      const { redirect_to } = await sendJson<{ redirect_to: string }>('POST', `/dashboard/oauth/${word}`, {
        request,
        team,
      })
      setState('answered')
      location.assign(redirect_to)
    } catch (reason) {
      setError((reason as Error).message)
      setState('asking')
    }
  }
  if (state === 'answered')
    return (
      <div className="form" role="status">
        <Logo />
        <h1>That is all</h1>
        <p className="muted">Go on in {host ?? name}. You can close this page.</p>
      </div>
    )
  return (
    <div className="form authorize">
      <Logo />
      <h1>
        Let <strong>{host ?? name}</strong> act for you?
      </h1>
      <Claim name={name} kind={kind} />
      {session.teams.length > 1 ? (
        <ChoiceField
          label="In the team"
          value={team}
          onChange={setTeam}
          options={session.teams.map((one) => ({ value: one.id, label: one.name }))}
        />
      ) : (
        <p>
          In the team <strong>{session.teams[0]?.name ?? '(you are in none)'}</strong>
        </p>
      )}
      <div>
        <p id="may">It will be able to:</p>
        <ul aria-labelledby="may">
          {(asked.scopes.includes('full_access') ? (['full_access'] as const) : asked.scopes).map((scope) => (
            <li key={scope}>{MEANINGS[scope]}</li>
          ))}
        </ul>
        {role === 'viewer' && <p className="muted">You are a viewer in this team, so it can only read.</p>}
      </div>
      <p className="muted">
        Your answer goes to {asked.sent_to}. You can revoke the access at any time, under “Connected apps”.
      </p>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="answers">
        <Button onClick={() => answer('deny')} isBusy={state === 'busy'}>
          Deny
        </Button>
        <Button look="primary" onClick={() => answer('approve')} isBusy={state === 'busy'} disabled={team === ''}>
          Allow
        </Button>
      </div>
      <p className="muted">
        Signed in {whoIs(session)}.{' '}
        <button type="button" className="as-link" onClick={() => signOut().then(() => location.reload())}>
          Not you?
        </button>
      </p>
    </div>
  )
}

/** What is known about a program, and what it only says. */
function Claim({ name, kind }: { name: string; kind: Asked['client']['kind'] }) {
  if (kind === 'built-in') return <p className="muted">Allow it only if you have just started the sign-in yourself.</p>
  return (
    <p className="muted">
      {kind === 'document' ? `It calls itself “${name}”. ` : 'Nobody has checked this name. '}
      Allow it only if you know it and have just started the sign-in yourself.
    </p>
  )
}
