import type { Database } from '../../kernel/db/database.ts'
import { hours, minutes } from '../../kernel/jobs/job.ts'
import { deleteJobsOf } from '../../kernel/jobs/queries.ts'
import { job } from '../definitions.ts'
import { closeSandboxesOf } from '../sandboxes/simulation/sandboxes.ts'
import { beginDeletion, deleteEverythingOf, deleteTeamRows } from './deletion.ts'
import { endSandboxes } from './sandbox-teams.ts'

/** Gives how many rows it had. */
export async function deleteWholeTeam(db: Database, team: string, signal: AbortSignal): Promise<number> {
  while (await endSandboxes(db, (trx, limit) => closeSandboxesOf(trx, team, limit))) signal.throwIfAborted()
  const rows = await deleteEverythingOf(db, [team], signal)
  await db.transaction(async (trx) => {
    await deleteJobsOf(trx, [team])
    await deleteTeamRows(trx, [team])
  })
  return rows
}

/**
 * Deletes a team whose time has come, slice by slice, and the team last: until then its row says that it is being deleted. Running
 * twice, or after a crash, goes on with what is left. Blobs are noted by triggers when the rows that name them go, and are swept a day
 * later. Its sandboxes end first, and are deleted as all of them are.
 */
export const deleteTeam = job<{ team: string }>({
  name: 'teams.delete',
  retryAfterSeconds: [1, 5, 30, minutes(2), minutes(10), ...Array<number>(72).fill(hours(1))],
  async run({ team }, { db, log, signal }) {
    if (!(await beginDeletion(db, team))) return
    const begun = performance.now()
    const rows = await deleteWholeTeam(db, team, signal)
    log.info({ team, rows, seconds: Math.round((performance.now() - begun) / 1_000) }, 'teams: team deleted')
  },
})
