import { useMutation, useQuery } from '@tanstack/react-query'
import { sendJson } from '../api.ts'
import { confirmByEmail, describeInvitation, forgetInvitation } from '../invitation.ts'
import { Button } from '../ui/button.tsx'
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
        <h1>{texts.invitation}</h1>
        <Failed error={invitation.error} />
        <Button onClick={forgetInvitation}>{texts.sign}</Button>
      </>
    )
  const { team, role, email, invited_by, has_account, needs_confirmation } = invitation.data
  return (
    <>
      <h1>{texts.join(team)}</h1>
      <p>
        {texts.invitesYouTeam(invited_by ?? 'A member')}
        <strong>{team}</strong>
        {texts.as(role)}
      </p>
      {has_account ? (
        <>
          <p>
            {texts.thereAccount}
            <strong>{email}</strong>
            {texts.signJoinIfYou}
            <em>{texts.account}</em>
            {texts.there}
          </p>
          <Button look="primary" onClick={() => onSignIn(email)}>
            {texts.sign}
          </Button>
        </>
      ) : needs_confirmation ? (
        <ConfirmAddress token={token} email={email} />
      ) : (
        <JoinAsNew token={token} team={team} email={email} />
      )}
      <Button look="quiet" onClick={forgetInvitation}>
        {texts.notNow}
      </Button>
    </>
  )
}

/** A link that somebody has copied does not prove whose address it is. */
function ConfirmAddress({ token, email }: { token: string; email: string }) {
  const confirm = useMutation({ mutationFn: () => confirmByEmail(token) })
  if (confirm.isSuccess)
    return (
      <p role="status">
        {texts.weSentLink}
        <strong>{email}</strong>
        {texts.openJoin}
      </p>
    )
  return (
    <>
      <p>
        {texts.confirm}
        <strong>{email}</strong>
        {texts.yourAddressWeSend}
      </p>
      {confirm.isError && (
        <p className="form-error" role="alert">
          {confirm.error.message}
        </p>
      )}
      <Button look="primary" isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
        {texts.emailMeLink}
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
        {texts.youGetAccount}
        <strong>{email}</strong>
        {texts.signedNote}
      </p>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <Button look="primary" isBusy={isBusy} onClick={() => enter(join)}>
        {texts.join(team)}
      </Button>
    </>
  )
}
