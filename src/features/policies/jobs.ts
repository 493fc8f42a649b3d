import type { Database, Transaction } from '../../kernel/db/database.ts'
import { type Job, job, minutes } from '../../kernel/jobs/job.ts'
import { ensureWaiting } from '../../kernel/jobs/queries.ts'
import { record } from '../../kernel/outbox/record.ts'
import type { PolicyRef } from './queries.ts'

/** However much a policy refuses, open dashboards are told this often. */
const NOTIFY_DELAY_MS = 1_000

/** Tells open dashboards that a policy has refused something. Told twice, they look once more. */
export const tellRefusals: Job<PolicyRef, { readonly db: Database }> = job({
  name: 'policies.tell-refusals',
  retryAfterSeconds: [1, 5, 30, minutes(5)],
  async run({ team, policyId }, { db }) {
    await db.transaction((trx) => record(trx, team, 'policy.refused', [{ id: policyId }]))
  },
})

/** In the transaction that writes refusals: a flood of them finds a job that waits already. */
export async function followRefusals(trx: Transaction, refs: readonly PolicyRef[]) {
  const runAt = new Date(trx.clock.now().getTime() + NOTIFY_DELAY_MS)
  for (const { team, policyId } of refs)
    await ensureWaiting(trx, { name: tellRefusals.name, payload: { team, policyId } }, { runAt, key: policyId })
}
