import type { Transaction } from '../../kernel/db/database.ts'
import { hours, type Job, minutes } from '../../kernel/jobs/job.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { job } from '../definitions.ts'

export interface DomainOfTeam {
  readonly team: string
  readonly domainId: string
}

/** How soon somebody who waits for the DNS is looked at again when something goes wrong. */
export const RETRY_AFTER_SECONDS = [5, 30, minutes(5)]

const BATCH = 100

/**
 * Sees to what is due, of all teams: each becomes a job of its own and is put off for an hour, so that it comes back should that job
 * be lost. What is taken twice is looked at twice, which is harmless.
 */
export const recheck = (
  name: string,
  take: (trx: Transaction, now: Date, putOffTo: Date, limit: number) => Promise<DomainOfTeam[]>,
  verify: Job<DomainOfTeam>,
) =>
  job({
    name,
    everySeconds: 30,
    retryAfterSeconds: [],
    async run(_payload, { db, clock, signal }) {
      const now = clock.now()
      const putOffTo = new Date(now.getTime() + hours(1) * 1_000)
      for (let found = BATCH; found === BATCH; signal.throwIfAborted()) {
        found = await db.transaction(async (trx) => {
          const due = await take(trx, now, putOffTo, BATCH)
          for (const domain of due) await enqueue(trx, verify, domain, { key: domain.domainId })
          return due.length
        })
      }
    },
  })
