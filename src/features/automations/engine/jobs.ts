import type { Database } from '../../../kernel/db/database.ts'
import { hours, type Job, job, minutes } from '../../../kernel/jobs/job.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { cancelRunning, deleteEmailsBefore, deleteEndedBefore, deleteRunsOf } from './run-store.ts'
import { deleteUnusedGraphs, lockAutomation } from './store.ts'
import { lockTeam } from './team-lock.ts'

// 5,000 are some 0.3 s, and the engine of the team waits that long.
const BATCH = 5_000
const RETRY_SCHEDULE = [1, 5, 30, minutes(2), minutes(10), ...Array<number>(72).fill(hours(1))]

interface Services {
  readonly db: Database
}

/**
 * Cancels what is left of the runs of an automation that was stopped. May run twice: a run that has ended is not cancelled. Meanwhile
 * the engine leaves them alone.
 */
export const cancelStopped: Job<{ team: string; automationId: string; before: string }, Services> = job({
  name: 'automations.cancel',
  retryAfterSeconds: RETRY_SCHEDULE,
  async run({ team, automationId, before }, { db, signal }) {
    let next: string | null = before
    while (next !== null) {
      signal.throwIfAborted()
      const end: string = next
      next = await db.transaction(async (trx) => {
        await lockTeam(trx, team)
        // Of one that was deleted meanwhile the runs go, too.
        if (!(await lockAutomation(trx, team, automationId))) return null
        return cancelRunning(trx, team, automationId, { before: end, limit: BATCH })
      })
    }
  },
})

/** Deletes what is left of the runs of an automation that is gone. May run twice: what was deleted is not there any more. */
export const deleteRuns: Job<{ team: string; automationId: string }, Services> = job({
  name: 'automations.remove',
  retryAfterSeconds: RETRY_SCHEDULE,
  async run({ team, automationId }, { db, signal }) {
    let isMore = true
    while (isMore) {
      signal.throwIfAborted()
      isMore = await db.transaction(async (trx) => {
        await lockTeam(trx, team)
        return deleteRunsOf(trx, team, automationId, BATCH)
      })
    }
  },
})

/** What has ended goes, and then the graphs that nothing is left of. */
export const sweepAutomationRuns = retention({
  name: 'automation_runs.sweep',
  kind: 'runs',
  deleteBefore: async (db, expired) =>
    (await deleteEndedBefore(db, expired)) !== false ||
    (await deleteEmailsBefore(db, expired)) !== false ||
    (expired.team === undefined && !expired.own && (await deleteUnusedGraphs(db, expired.limit))),
})
