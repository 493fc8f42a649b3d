import type { Transaction } from '../../../../kernel/db/database.ts'
import type { PolicyHolder } from '../../../../kernel/http/policy-page.ts'
import { minutes } from '../../../../kernel/jobs/job.ts'
import { ensureWaiting } from '../../../../kernel/jobs/queries.ts'
import { groupBy } from '../../../../platform/group-by.ts'
import type { Email } from '../email.ts'

// Mail that waits for approval. It is accepted like any other, and its rows of the ledger are set aside until somebody has decided.

export const APPROVAL_STATUSES = ['waiting', 'approved', 'refused', 'expired', 'canceled'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** Of an email that is to wait. */
export interface PendingApproval {
  readonly policyId: string
  readonly holder: PolicyHolder
  /** In the time of the team. */
  readonly expiresAt: Date
}

/** How an approval stands. */
interface ApprovalState extends PendingApproval {
  readonly status: ApprovalStatus
  readonly scheduledAt: Date | null
  readonly decidedAt: Date | null
  readonly decidedBy: string | null
}

/** What events tell about an approval. It has the id of the email, so nothing is added to it. */
export const approvalEventData = (
  {
    id,
    from,
    to,
    cc,
    bcc,
    subject,
    createdAt,
  }: Pick<Email, 'id' | 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'createdAt'>,
  { policyId, holder, status, expiresAt, scheduledAt, decidedAt, decidedBy }: ApprovalState,
): object => ({
  email_id: id,
  status,
  policy_id: policyId,
  holder: { kind: holder, id: policyId },
  from,
  to,
  cc: cc ?? [],
  bcc: bcc ?? [],
  subject,
  scheduled_at: scheduledAt?.toISOString() ?? null,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt.toISOString(),
  decided_at: decidedAt?.toISOString() ?? null,
  decided_by: decidedBy,
})

/** The jobs of approvals. Each is about all that there is to do for a team. */
export const APPROVAL_JOBS = { expire: 'approvals.expire', notify: 'approvals.notify' } as const

/** Approvers are asked at once about the first, then by one mail for all that have come meanwhile. */
export const NOTICE_INTERVAL_MS = minutes(5) * 1_000

/** In the transaction that lets mail wait: somebody is asked, and it does not wait for ever. */
export async function enqueueApprovalJobs<Waiting extends { readonly team: string }>(
  trx: Transaction,
  emails: readonly Waiting[],
  held: ReadonlyMap<Waiting, PendingApproval>,
) {
  for (const [team, own] of groupBy(emails, (email) => email.team)) {
    const first = new Date(Math.min(...own.map((email) => held.get(email)!.expiresAt.getTime())))
    const payload = { team }
    const now = trx.clock.now()
    // A round that waits for its time tells of this, too: a flood makes no more of them.
    const dueBy = new Date(now.getTime() + NOTICE_INTERVAL_MS)
    await ensureWaiting(trx, { name: APPROVAL_JOBS.notify, payload }, { runAt: now, dueBy, key: team })
    await ensureWaiting(
      trx,
      { name: APPROVAL_JOBS.expire, payload },
      { runAt: trx.clock.of(team).toReal(first), key: team },
    )
  }
}
