import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { describeInvitation, forgetInvitation, invitationToken } from '../../invitation.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { switchTeam } from './switch-team.ts'

/** For somebody who is signed in and has opened the link of an invitation. */
export function InvitationDialog({ email }: { email: string }) {
  const [token, setToken] = useState(invitationToken)
  const close = () => {
    forgetInvitation()
    setToken(null)
  }
  return (
    <Dialog title="You are invited" isOpen={token !== null} onClose={close}>
      {token !== null && <Invited token={token} email={email} onClose={close} />}
    </Dialog>
  )
}

function Invited({ token, email, onClose }: { token: string; email: string; onClose: () => void }) {
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => describeInvitation(token),
    retry: false,
  })
  const join = useAct({ run: () => call('invitations.accept', { body: { token } }), refresh: [] })
  if (invitation.isError) return <Failed error={invitation.error} />
  if (!invitation.data) return <Loading lines={2} />
  const { team, role, email: to, invited_by } = invitation.data
  return (
    <>
      <p>
        {invited_by ?? 'Somebody'} invites you to <strong>{team}</strong> as {role}.
      </p>
      {to.toLowerCase() !== email.toLowerCase() && (
        <p className="muted">
          The mail went to {to}. You are signed in as {email}, and join as that.
        </p>
      )}
      <div className="actions">
        <Button onClick={onClose}>Not now</Button>
        <Button
          look="primary"
          isBusy={join.isPending}
          onClick={() => join.mutate(undefined, { onSuccess: ({ id }) => switchTeam(id) })}
        >
          Join the team
        </Button>
      </div>
    </>
  )
}
