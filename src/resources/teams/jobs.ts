import { hours, minutes } from '../../platform/jobs/job.ts'
import { deleteJobsOf } from '../../platform/jobs/queries.ts'
import { job } from '../definitions.ts'
import { beginDeletion, deleteSlice, deleteTeamRow } from './deletion.ts'

/** Rows in a transaction: emails with bodies of 20 kB are some 0.2 s, and nobody waits behind it for longer. */
const SLICE = 2_000

/**
 * Deletes a team whose time has come, slice by slice, and the team last: until then its row says that it is being deleted. Running
 * twice, or after a crash, goes on with what is left. Blobs are noted by triggers when the rows that name them go, and are swept a day later.
 */
export const deleteTeam = job<{ team: string }>({
  name: 'teams.delete',
  retryAfterSeconds: [1, 5, 30, minutes(2), minutes(10), ...Array<number>(72).fill(hours(1))],
  async run({ team }, { db, log, signal }) {
    if (!(await beginDeletion(db, team))) return
    const begun = performance.now()
    let rows = 0
    for (let deleted = 1; deleted > 0; rows += deleted) {
      signal.throwIfAborted()
      deleted = await db.transaction((trx) => deleteSlice(trx, team, SLICE))
    }
    await db.transaction(async (trx) => {
      await deleteJobsOf(trx, team)
      await deleteTeamRow(trx, team)
    })
    log.info({ team, rows, seconds: Math.round((performance.now() - begun) / 1_000) }, 'deleted a team')
  },
})
