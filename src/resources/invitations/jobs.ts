import { deleteInvitationsBefore } from '../../people/invitations.ts'
import { hours } from '../../platform/jobs/job.ts'
import { retention } from '../../platform/jobs/retention.ts'

/** One that has run out stays for a month: it can be sent again. */
export const sweepInvitations = retention({
  name: 'invitations.sweep',
  keepSeconds: () => 30 * hours(24),
  deleteBefore: deleteInvitationsBefore,
})
