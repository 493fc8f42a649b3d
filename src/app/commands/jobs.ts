import { listTeams } from '../../features/teams/queries.ts'
import { recordAudit } from '../../kernel/audit/record.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { type FailedJob, listFailedJobs, retryFailedJobs } from '../../kernel/jobs/failed-jobs.ts'
import { groupBy } from '../../platform/group-by.ts'
import { type Command, JSON_FLAG, listOf, OperatorError, oneLine, tableOf } from './command.ts'
import { withDatabase } from './database.ts'
import { OPERATOR } from './teams.ts'

export const listJobs: Command = {
  name: 'job list',
  usage: '[--name NAME] [--json]',
  summary: 'Show the jobs that have failed for good, with why: nobody tries them again',
  options: { name: { type: 'string' }, ...JSON_FLAG },
  words: 0,
  async run({ config, flags, print }) {
    const jobs = await withDatabase(config, (db) => listFailedJobs(db, String(flags.name ?? 'all')))
    if (flags.json) return print(listOf(jobs))
    if (jobs.length === 0) return print('No job has failed.')
    for (const line of tableOf(jobs.map(columnsOf))) print(line)
  },
}

export const retryJobs: Command = {
  name: 'job retry',
  usage: 'ID|NAME|all [--json]',
  summary: 'Run failed jobs again: one by its id, all of a kind by its name, or all',
  options: JSON_FLAG,
  words: 1,
  async run({ config, words: [which = ''], flags, print }) {
    const retried = await withDatabase(config, (db) =>
      db.transaction(async (trx) => {
        const jobs = await retryFailedJobs(trx, which)
        await recordRetries(trx, jobs)
        return jobs
      }),
    )
    if (retried.length === 0 && which !== 'all')
      throw new OperatorError(`No failed job has the id or the name ${oneLine(which)}. See: postwren job list`)
    if (flags.json) return print(listOf(retried.map(({ id, name, team_id }) => ({ object: 'job', id, name, team_id }))))
    print(`${retried.length} ${retried.length === 1 ? 'job is' : 'jobs are'} due again.`)
  },
}

/** One event for each team. Jobs of the installation itself, and of teams that are gone, are nobody's to hear of. */
async function recordRetries(trx: Transaction, jobs: readonly FailedJob[]) {
  const teams = new Set((await listTeams(trx)).map(({ id }) => id))
  for (const [team, own] of groupBy(jobs, ({ team_id }) => team_id ?? '')) {
    if (!teams.has(team)) continue
    const details = { jobs: own.length, names: [...new Set(own.map(({ name }) => name))] }
    const objectId = own.length === 1 ? own[0]!.id : null
    await recordAudit(trx, { team, actor: OPERATOR, action: 'jobs.retry', objectId, details })
  }
}

const columnsOf = ({ id, name, team_id, attempts, error, failed_at }: FailedJob) => ({
  ID: id,
  NAME: name,
  TEAM: team_id ?? '',
  ATTEMPTS: String(attempts),
  FAILED: failed_at.slice(0, 19),
  ERROR: (error ?? '').slice(0, 200),
})
