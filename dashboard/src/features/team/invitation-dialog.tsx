import { useQuery } from '@tanstack/react-query'
import { call, sendJson } from '../../api.ts'
import { describeInvitation, forgetInvitation, useInvitationToken } from '../../invitation.ts'
import { switchTeam } from '../../switch-team.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { rich } from '../../ui/rich.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { texts } from './texts.ts'

/** For somebody who is signed in and has opened the link of an invitation. */
export function InvitationDialog({ email }: { email: string }) {
  const token = useInvitationToken()
  return (
    <Dialog title={texts.invitation.title} isOpen={token !== null} onClose={forgetInvitation}>
      {token !== null && <Invited key={token} token={token} email={email} onClose={forgetInvitation} />}
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
        {rich(texts.invitation.sentence, {
          inviter: invited_by ?? texts.invitation.unknownInviter,
          team: <strong>{team}</strong>,
          role,
        })}
      </p>
      {to.toLowerCase() === email.toLowerCase() ? (
        <div className="actions">
          <Button onClick={onClose}>{texts.invitation.notNow}</Button>
          <Button
            look="primary"
            isBusy={join.isPending}
            onClick={() => join.mutate(undefined, { onSuccess: enterTeam })}
          >
            {texts.invitation.join}
          </Button>
        </div>
      ) : (
        <>
          <p>{texts.invitation.otherAccount(to, email)}</p>
          <div className="actions">
            <Button onClick={onClose}>{texts.invitation.notNow}</Button>
            <Button look="primary" onClick={changeAccount}>
              {texts.invitation.signOut}
            </Button>
          </div>
        </>
      )}
    </>
  )
}

const enterTeam = ({ id }: { id: string }) => {
  forgetInvitation()
  return switchTeam(id)
}

/** The invitation stays with the tab, and is what the page begins with. */
async function changeAccount() {
  await sendJson('DELETE', '/dashboard/session').catch(() => {})
  location.assign('/dashboard')
}
