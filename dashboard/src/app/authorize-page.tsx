import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { describeRequest } from '../../../src/features/oauth/authorization.ts'
import type { Policy } from '../../../src/features/policies/schema.ts'
import { sendJson } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/field.tsx'
import { PolicyFields } from '../ui/policy/policy-fields.tsx'
import { usePolicyDraft } from '../ui/policy/use-policy-draft.ts'
import { rich } from '../ui/rich.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { Logo } from './logo.tsx'
import { type Session, signOut, useSession, whoIs } from './session.ts'
import './authorize-page.css'
import { texts } from './texts.ts'

type Asked = Awaited<ReturnType<typeof describeRequest>>

const MEANINGS: Readonly<Record<Asked['scopes'][number], string>> = {
  full_access: texts.authorize.fullAccess,
  'emails:send': texts.authorize.sendEmail,
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
  const [isGuarded, setGuarded] = useState(false)
  const form = usePolicyDraft(null)
  const { name, host, kind } = asked.client
  const role = session.teams.find(({ id }) => id === team)?.role
  const answer = async (word: 'approve' | 'deny') => {
    setState('busy')
    setError(null)
    try {
      const send = (policy?: Policy) =>
        sendJson<{ redirect_to: string }>('POST', `/dashboard/oauth/${word}`, {
          request,
          team,
          ...(policy && { policy }),
        })
      const { redirect_to } = await (word === 'approve' && isGuarded ? form.submit(send) : send())
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
        <h1>{texts.authorize.done}</h1>
        <p className="muted">{texts.authorize.doneNote(host ?? name)}</p>
      </div>
    )
  return (
    <div className="form authorize">
      <Logo />
      <h1>{rich(texts.authorize.title, { app: <strong>{host ?? name}</strong> })}</h1>
      <Claim name={name} kind={kind} />
      {session.teams.length > 1 ? (
        <ChoiceField
          label={texts.authorize.team}
          value={team}
          onChange={setTeam}
          options={session.teams.map((one) => ({ value: one.id, label: one.name }))}
        />
      ) : (
        <p>
          {rich(texts.authorize.inTeam, {
            team: <strong>{session.teams[0]?.name ?? texts.authorize.noTeam}</strong>,
          })}
        </p>
      )}
      <div>
        <p id="may">{texts.authorize.permissions}</p>
        <ul aria-labelledby="may">
          {(asked.scopes.includes('full_access') ? (['full_access'] as const) : asked.scopes).map((scope) => (
            <li key={scope}>{MEANINGS[scope]}</li>
          ))}
        </ul>
        {role === 'viewer' && <p className="muted">{texts.authorize.viewer}</p>}
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={isGuarded}
          onChange={({ currentTarget }) => setGuarded(currentTarget.checked)}
        />
        <span>
          {texts.authorize.policy}
          <small className="muted">{texts.authorize.policyNote}</small>
        </span>
      </label>
      {/* Segments are of a team, which is only chosen here. */}
      {isGuarded && <PolicyFields form={form} />}
      <p className="muted">{texts.authorize.answerGoesTo(asked.sent_to)}</p>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="answers">
        <Button onClick={() => answer('deny')} isBusy={state === 'busy'}>
          {texts.authorize.deny}
        </Button>
        <Button look="primary" onClick={() => answer('approve')} isBusy={state === 'busy'} disabled={team === ''}>
          {texts.authorize.allow}
        </Button>
      </div>
      <p className="muted">
        {texts.authorize.signedIn(whoIs(session))}{' '}
        <button type="button" className="as-link" onClick={() => signOut().then(() => location.reload())}>
          {texts.authorize.notYou}
        </button>
      </p>
    </div>
  )
}

/** What is known about a program, and what it only says. */
function Claim({ name, kind }: { name: string; kind: Asked['client']['kind'] }) {
  if (kind === 'built-in') return <p className="muted">{texts.authorize.builtIn}</p>
  return (
    <p className="muted">{kind === 'document' ? texts.authorize.namedByItself(name) : texts.authorize.unverified}</p>
  )
}
