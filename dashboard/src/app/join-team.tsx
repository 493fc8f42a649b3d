import { useMutation, useQuery } from '@tanstack/react-query'
import { sendJson } from '../api.ts'
import { confirmByEmail, describeInvitation, forgetInvitation } from '../invitation.ts'
import { Button } from '../ui/button.tsx'
import { rich } from '../ui/rich.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { useEntering } from './session.ts'
import { texts } from './texts.ts'

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
        <h1>{texts.invitation.title}</h1>
        <Failed error={invitation.error} />
        <Button onClick={forgetInvitation}>{texts.signIn.title}</Button>
      </>
    )
  const { team, role, email, invited_by, has_account, needs_confirmation } = invitation.data
  return (
    <>
      <h1>{texts.invitation.join(team)}</h1>
      <p>
        {rich(texts.invitation.invitedBy, {
          ...{ inviter: invited_by ?? texts.invitation.someMember, role },
          team: <strong>{team}</strong>,
        })}
      </p>
      {has_account ? (
        <>
          <p>
            {rich(texts.invitation.hasAccount, {
              email: <strong>{email}</strong>,
              page: <em>{texts.navigation.account}</em>,
            })}
          </p>
          <Button look="primary" onClick={() => onSignIn(email)}>
            {texts.signIn.title}
          </Button>
        </>
      ) : needs_confirmation ? (
        <ConfirmAddress token={token} email={email} />
      ) : (
        <JoinAsNew token={token} team={team} email={email} />
      )}
      <Button look="quiet" onClick={forgetInvitation}>
        {texts.invitation.notNow}
      </Button>
    </>
  )
}

/** A link that somebody has copied does not prove whose address it is. */
function ConfirmAddress({ token, email }: { token: string; email: string }) {
  const confirm = useMutation({ mutationFn: () => confirmByEmail(token) })
  if (confirm.isSuccess)
    return <p role="status">{rich(texts.invitation.linkSent, { email: <strong>{email}</strong> })}</p>
  return (
    <>
      <p>{rich(texts.invitation.confirmAddress, { email: <strong>{email}</strong> })}</p>
      {confirm.isError && (
        <p className="form-error" role="alert">
          {confirm.error.message}
        </p>
      )}
      <Button look="primary" isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
        {texts.signIn.emailLink}
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
      <p>{rich(texts.invitation.newAccount, { email: <strong>{email}</strong> })}</p>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <Button look="primary" isBusy={isBusy} onClick={() => enter(join)}>
        {texts.invitation.join(team)}
      </Button>
    </>
  )
}
