import pg from 'pg'
import { ARCHIVE_OF_PERIODS, ARCHIVE_WITHOUT_DUCKDB, hasDuckDb } from '../../../adapters/parquet/parquet.ts'
import { findExpired, type HeldPeriod } from '../../../features/retention/cutoffs.ts'
import type { Cut } from '../../../kernel/partitions/tables.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { installationRetention, retentionInWords } from '../../../platform/settings/retention.ts'
import { asked } from './asked.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

/** What is kept how long, and whether it can be archived where that is asked for. */
export async function checkRetention({ config }: CheckInput): Promise<Finding[]> {
  const kept = fine('retention', `Kept: ${retentionInWords(installationRetention(config))} (POSTWREN_RETENTION_…).`)
  if (config.RETENTION_ARCHIVE === 'off') return [kept]
  if (await hasDuckDb()) return [kept, fine('archive', ARCHIVE_OF_PERIODS)]
  return [kept, fault('archive', ARCHIVE_WITHOUT_DUCKDB)]
}

const CUTS: readonly Cut[] = ['emails', 'bodies', 'received', 'events', 'logs']
const MAX_NAMED = 3
const LOOK_MS = 2_000
/** Mail that was tried for days counts from its end. */
const USUAL_MS = 7 * 86_400_000

/** Periods that are over and cannot go as a whole, so that the disk does not come back. */
export async function checkHeldPeriods(client: pg.Client, config: Config): Promise<Finding[]> {
  // A database that is older than periods has none.
  const there = await client.query<{ isThere: boolean }>(
    `select to_regclass('team_retention') is not null and to_regclass('emails_before') is not null as "isThere"`,
  )
  if (!there.rows[0]!.isThere) return []
  const db = { ...asked(client), clock: systemClock }
  const overdue = new Date(db.clock.now().getTime() - USUAL_MS)
  const held: HeldPeriod[] = []
  // Where nobody has dropped anything yet it takes long, and the tables may be of another version: `checkSchema` says so.
  await client.query(`savepoint periods; set local statement_timeout = '${LOOK_MS}'`)
  try {
    for (const cut of CUTS)
      held.push(...(await findExpired(db, config, cut)).held.filter(({ expiredAt }) => expiredAt < overdue))
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    held.length = 0
  }
  await client.query('rollback to savepoint periods')
  if (held.length === 0) return []
  const named = held.slice(0, MAX_NAMED).map(({ name, team }) => `${name} by team ${team}`)
  const rest = held.length > MAX_NAMED ? ` and ${held.length - MAX_NAMED} more` : ''
  return [
    warning(
      'periods',
      `Periods that are over are held, by mail that waits or events that are not delivered: ${named.join(', ')}${rest}.`,
    ),
  ]
}
