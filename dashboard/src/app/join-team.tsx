import { useQuery } from '@tanstack/react-query'
import { sendJson } from '../api.ts'
import { describeInvitation, forgetInvitation } from '../invitation.ts'
import { Button } from '../ui/button.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { useEntering } from './session.ts'

/** For who was invited and is not signed in: the mail proves who they are. */
export function JoinTeam({ token, onPutAside }: { token: string; onPutAside: () => void }) {
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => describeInvitation(token),
    retry: false,
  })
  const { enter, error, isBusy } = useEntering()
  const putAside = () => {
    forgetInvitation()
    onPutAside()
  }
  if (invitation.isPending) return <Loading lines={3} />
  if (invitation.isError)
    return (
      <>
        <h1>Invitation</h1>
        <Failed error={invitation.error} />
        <Button onClick={putAside}>Sign in</Button>
      </>
    )
  const { team, role, email, invited_by } = invitation.data
  return (
    <>
      <h1>Join {team}</h1>
      <p>
        {invited_by ?? 'Somebody'} invites you to the team <strong>{team}</strong>, as {role}. You will be signed in as{' '}
        <strong>{email}</strong>.
      </p>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <Button
        look="primary"
        isBusy={isBusy}
        onClick={() =>
          enter(async () => {
            await sendJson('POST', '/dashboard/sign-in/invitation', { token })
            // Before the page behind the door is there: it would offer to join once more.
            forgetInvitation()
          })
        }
      >
        Join {team}
      </Button>
      <Button look="quiet" onClick={onPutAside}>
        I have an account already: sign in first
      </Button>
    </>
  )
}
