import { recordSystemAudit } from '../../kernel/audit/record.ts'
import { hours, minutes } from '../../kernel/jobs/job.ts'
import { ensureWaiting } from '../../kernel/jobs/queries.ts'
import { retention } from '../../kernel/jobs/retention.ts'
import { job } from '../definitions.ts'
import { APPROVAL_JOBS } from '../emails/delivery/approvals/approval.ts'
import { decideApprovals } from '../emails/delivery/approvals/decide.ts'
import {
  deleteDecidedBefore,
  deleteNoticesBefore,
  findOverdue,
  nextExpiry,
} from '../emails/delivery/approvals/queries.ts'
import { MAX_DECIDED } from './schema.ts'

interface OfTeam {
  readonly team: string
}

/** Cancels what nobody has approved in time. Run twice, it finds less; what somebody decides at the same moment is theirs. */
export const expireApprovals = job<OfTeam>({
  name: APPROVAL_JOBS.expire,
  retryAfterSeconds: [5, 30, minutes(5), hours(1)],
  async run({ team }, { db, config, signal }) {
    for (;;) {
      signal.throwIfAborted()
      const ids = await findOverdue(db, team, MAX_DECIDED)
      if (ids.length === 0) break
      await db.transaction(async (trx) => {
        const giveUpAfterSeconds = config.GIVE_UP_AFTER
        const decided = await decideApprovals(trx, team, { ids, decision: 'expired', by: null, giveUpAfterSeconds })
        const expired = decided.filter(({ isNew }) => isNew).map(({ id }) => id)
        if (expired.length === 0) return
        const [objectId] = expired.length === 1 ? expired : [null]
        await recordSystemAudit(trx, team, { action: 'approvals.expire', objectId, details: { emails: expired } })
      })
    }
    await db.transaction(async (trx) => {
      const next = await nextExpiry(trx, team)
      if (!next) return
      const runAt = trx.clock.of(team).toReal(next)
      await ensureWaiting(trx, { name: APPROVAL_JOBS.expire, payload: { team } }, { runAt, key: team })
    })
  },
})

const KEEP_SECONDS = 90 * hours(24)

export const sweepApprovals = retention({
  name: 'approvals.sweep',
  keepSeconds: () => KEEP_SECONDS,
  deleteBefore: deleteDecidedBefore,
})

/** No link is good for longer than an approval can wait. */
export const sweepNotices = retention({
  name: 'approvals.sweep-notices',
  keepSeconds: () => 31 * hours(24),
  deleteBefore: deleteNoticesBefore,
})
