import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/settings/config.ts'
import type { Database } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { hours, type Job, job, minutes } from './job.ts'
import { deleteFailedJobsBefore } from './queries.ts'

const BATCH = 5_000

interface RetentionServices {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
}

/** A job that deletes what is past its time, which a team whose clock was moved can have done at once. */
export interface Retention extends Job<object, RetentionServices> {
  sweepTeam(services: RetentionServices, team: string): Promise<void>
}

/** What is to go: so many of those that are older than a moment. */
export interface Expired {
  readonly moment: Date
  readonly limit: number
  /** Set: of this team alone. */
  readonly team?: string | undefined
}

/** A job that deletes what is past its time, in batches, so that no statement takes long. Running twice deletes nothing more. */
export function retention(rule: {
  name: string
  keepSeconds(config: Config): number
  /** Deletes some, and returns whether there may be more. */
  deleteBefore(db: Database, expired: Expired): Promise<boolean>
}): Retention {
  const sweep = async ({ db, clock, config }: RetentionServices, signal?: AbortSignal, team?: string) => {
    const now = team === undefined ? clock.now() : clock.of(team).now()
    const moment = new Date(now.getTime() - rule.keepSeconds(config) * 1_000)
    while (await rule.deleteBefore(db, { moment, limit: BATCH, team })) signal?.throwIfAborted()
  }
  return {
    ...job<object, RetentionServices>({
      name: rule.name,
      everySeconds: minutes(15),
      retryAfterSeconds: [],
      run: (_payload, { signal, ...services }) => sweep(services, signal),
    }),
    sweepTeam: (services, team) => sweep(services, undefined, team),
  }
}

/** For statements that delete what is old: of everybody, or of one team. */
export const ofTeam = (team: string | undefined): Sql => (team === undefined ? sql`` : sql`and team_id = ${team}`)

export const sweepFailedJobs = retention({
  name: 'jobs.sweep',
  keepSeconds: () => 30 * hours(24),
  deleteBefore: deleteFailedJobsBefore,
})
