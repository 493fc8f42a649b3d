import { useQuery } from '@tanstack/react-query'
import { sendJson } from '../api.ts'
import { describeInvitation, forgetInvitation } from '../invitation.ts'
import { Button } from '../ui/button.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { useEntering } from './session.ts'

interface Props {
  readonly token: string
  /** Whoever has an account signs in to it. The invitation is offered again after signing in. */
  onSignIn(email: string): void
}

/** For who was invited and is not signed in. */
export function JoinTeam({ token, onSignIn }: Props) {
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => describeInvitation(token),
    retry: false,
  })
  if (invitation.isPending) return <Loading lines={3} />
  if (invitation.isError)
    return (
      <>
        <h1>Invitation</h1>
        <Failed error={invitation.error} />
        <Button onClick={forgetInvitation}>Sign in</Button>
      </>
    )
  const { team, role, email, invited_by, has_account } = invitation.data
  return (
    <>
      <h1>Join {team}</h1>
      <p>
        {invited_by ?? 'A member'} invites you to the team <strong>{team}</strong>, as {role}.
      </p>
      {has_account ? (
        <>
          <p>
            There is an account for <strong>{email}</strong>. Sign in to join. If you sign in in another tab, the
            invitation is on the page <em>Account</em> there.
          </p>
          <Button look="primary" onClick={() => onSignIn(email)}>
            Sign in
          </Button>
        </>
      ) : (
        <JoinAsNew token={token} team={team} email={email} />
      )}
      <Button look="quiet" onClick={forgetInvitation}>
        Not now
      </Button>
    </>
  )
}

/** The mail proves whose address it is. */
function JoinAsNew({ token, team, email }: { token: string; team: string; email: string }) {
  const { enter, error, isBusy } = useEntering()
  const join = async () => {
    await sendJson('POST', '/dashboard/sign-in/invitation', { token })
    // Before the signed-in page is there: it would offer to join once more.
    forgetInvitation()
  }
  return (
    <>
      <p>
        You get an account for <strong>{email}</strong>and are signed in.
      </p>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <Button look="primary" isBusy={isBusy} onClick={() => enter(join)}>
        Join {team}
      </Button>
    </>
  )
}
