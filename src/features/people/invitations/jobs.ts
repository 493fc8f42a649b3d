import { hours } from '../../../kernel/jobs/job.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { deleteInvitationsBefore } from '../invitations.ts'

/** One that has run out stays for a month: it can be sent again. */
export const sweepInvitations = retention({
  name: 'invitations.sweep',
  keepSeconds: () => 30 * hours(24),
  deleteBefore: deleteInvitationsBefore,
})
