import { useQuery } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { Copyable, CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { verified } from '../../ui/verification.tsx'
import { texts } from './texts.ts'

export interface LinkedInvitation {
  readonly id: string
  readonly email: string
  /** It was made a moment ago. */
  readonly isNew: boolean
}

interface InviteLinkDialogProps {
  readonly invitation: LinkedInvitation | null
  /** No email leaves this machine, so the link is the only way. */
  readonly isMailKept: boolean
  readonly onClose: () => void
}

/** The link of an invitation, to hand over. */
export const InviteLinkDialog = ({ invitation, isMailKept, onClose }: InviteLinkDialogProps) => (
  <Dialog
    title={
      invitation?.isNew ? texts.linkDialog.invited(invitation.email) : texts.linkDialog.title(invitation?.email ?? '')
    }
    note={isMailKept ? texts.linkDialog.onlyLink : texts.linkDialog.alsoEmail}
    isOpen={invitation !== null}
    onClose={onClose}
  >
    {invitation && <InviteLink id={invitation.id} />}
  </Dialog>
)

function InviteLink({ id }: { id: string }) {
  // Made anew each time it is shown, since sending the invitation again ends it.
  const link = useQuery({
    queryKey: ['invitation link', id],
    queryFn: () => verified(() => call('invitations.link', { id })),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  if (link.isPending) return <Loading lines={2} />
  if (link.isError) return <Failed error={link.error} onRetry={() => link.refetch()} />
  return (
    <>
      <Copyable text={link.data.url} what={texts.linkDialog.link} isLong />
      <div className="actions">
        <CopyButton text={link.data.url}>{texts.linkDialog.copy}</CopyButton>
      </div>
    </>
  )
}
