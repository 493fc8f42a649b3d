import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { insertJobs, JOBS_CHANNEL } from '../../kernel/jobs/queries.ts'
import { newId } from '../../platform/ids.ts'
import type { PolicyRef } from './queries.ts'
import { type Policy, RULES, type Rule } from './schema.ts'

/** What may stop mail that was scheduled before: a rule, or that it waits for approval. */
export type PolicyRestriction = Rule | 'hold'

/** Of a change, the guards that scheduled mail was not asked about yet. Whatever is as before was asked then; a dry run has none. */
export function addedRestrictions(before: Policy | null, after: Policy): PolicyRestriction[] {
  const guardOf = (policy: Policy | null, name: PolicyRestriction) => {
    if (!policy || policy.dry_run) return null
    if (name === 'relay_headers') return true
    return name === 'hold' ? Boolean(policy.hold) : policy[name]
  }
  return [...RULES, 'hold' as const].filter((name) => {
    const now = guardOf(after, name)
    return now !== null && now !== undefined && now !== false && !isSame(now, guardOf(before, name))
  })
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Asks the guards of a policy about mail that is scheduled already. Delivery does it: see `approvals/judge-scheduled.ts` there. */
export interface JudgingScheduled extends PolicyRef {
  readonly guards: readonly PolicyRestriction[]
  /** Absent: the first time. */
  readonly isSecond?: boolean
}

export const JUDGE_SCHEDULED = 'policies.judge-scheduled'

export async function enqueueJudging(trx: Transaction, payload: JudgingScheduled, afterMs = 0) {
  const now = trx.clock.now()
  const runAt = new Date(now.getTime() + afterMs)
  // Each asks what its change was about, so none takes the place of another.
  const row = sql`select ${newId(trx.clock)}::uuid, ${payload}::jsonb, ${runAt}::timestamptz, ${payload.policyId}::text`
  await trx.query(insertJobs(JUDGE_SCHEDULED, row, { now }))
  trx.announce(JOBS_CHANNEL)
}
