import { setTimeout as wait } from 'node:timers/promises'
import { isCanceled, isLockTimeout } from '../../platform/database-errors.ts'
import { type Database, pooled, type Queryable, type Transaction } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { PartitionedTable } from './tables.ts'

/** Others wait behind whoever waits for a lock: so short, and again in a moment. */
const LOCK_MS = 100
const PAUSE_MS = 250
const MAX_TRIES = 40

/** A transaction that changes tables. It gives up at once where it would have to wait, and is tried again. */
export async function briefly<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(async (trx) => {
        await trx.query(sql`${raw(`set local lock_timeout = ${LOCK_MS}`)}`)
        return work(trx)
      })
    } catch (error) {
      if (!isLockTimeout(error) || tries === MAX_TRIES) throw error
      await wait(PAUSE_MS)
    }
  }
}

/** How long others are waited for before a partition is detached. */
export const DETACH_WAIT_MS = 30_000

export interface Detaching {
  readonly table: PartitionedTable
  readonly partition: string
  readonly waitMs?: number | undefined
}

/** Somebody else's transaction stays open for longer than it is waited for, as that of a backup does. It is tried again by the next run. */
export class Blocked extends Error {
  /** Whoever it is, as far as PostgreSQL tells us. */
  readonly blockers: readonly Blocker[]

  constructor(partition: string, blockers: readonly Blocker[]) {
    super(`${partition} is in use by another transaction`)
    this.blockers = blockers
  }
}

export interface Blocker {
  readonly pid: number
  readonly application: string
  readonly state: string
  readonly since: Date
}

/**
 * Without a lock that anybody feels: it waits for transactions that have begun before, and who begins later does not see the partition. Between its two steps
 * ids of the partition have no place, so that it begins only when those transactions are over.
 */
export async function detach(db: Database, detaching: Detaching): Promise<void> {
  const { table, partition } = detaching
  const isOne = holdLockOf(table.name, partition)
  await waitForOthers(db, detaching, isOne)
  await orBlocked(db, { partition, isOne }, () =>
    db.queryPooled(sql`${raw(`alter table ${table.name} detach partition ${partition} concurrently`)}`),
  )
}

/** The second step, where somebody was cut off in between. It waits for all who see what was before the first one. */
export async function finalize(db: Database, detaching: Detaching): Promise<void> {
  const { table, partition } = detaching
  await waitForOthers(db, detaching, HAVE_SNAPSHOT)
  await orBlocked(db, { partition, isOne: HAVE_SNAPSHOT }, () =>
    db.queryPooled(sql`${raw(`alter table ${table.name} detach partition ${partition} finalize`)}`),
  )
}

/** A brief transaction that locks tables against everybody. */
export const exclusively = <Result>(
  db: Database,
  { partition, parent = partition }: { partition: string; parent?: string },
  work: (trx: Transaction) => Promise<Result>,
): Promise<Result> => orBlocked(db, { partition, isOne: holdLockOf(parent, partition) }, () => briefly(db, work))

/** Conditions on a session `s`. */
const holdLockOf = (...tables: readonly string[]) => sql`
  exists (
    select from pg_locks l where l.pid = s.pid and l.granted and l.locktype = 'relation'
      and l.relation = any (${tables}::text[]::regclass[]))`
const HAVE_SNAPSHOT = sql`s.backend_xmin is not null`

/** Those that have begun by now. */
async function waitForOthers(db: Database, { partition, waitMs = DETACH_WAIT_MS }: Detaching, isOne: Sql) {
  const begin = performance.now()
  const first = await findBlockers(pooled(db), isOne)
  for (let left = first; left.length > 0; ) {
    if (performance.now() - begin > waitMs) throw new Blocked(partition, left)
    await wait(PAUSE_MS)
    const now = await findBlockers(pooled(db), isOne)
    left = first.filter(({ pid, since }) => now.some((one) => one.pid === pid && +one.since === +since))
  }
}

const findBlockers = (db: Queryable, isOne: Sql) =>
  db.query<Blocker>(sql`
    select s.pid, s.application_name as application, s.state, s.xact_start as since from pg_stat_activity s
    where s.datname = current_database() and s.pid <> pg_backend_pid() and s.xact_start is not null
      and s.backend_type = 'client backend' and ${isOne}
    order by s.xact_start`)

async function orBlocked<Result>(
  db: Database,
  { partition, isOne }: { partition: string; isOne: Sql },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isLockTimeout(error) && !isCanceled(error)) throw error
    throw new Blocked(partition, await findBlockers(pooled(db), isOne))
  }
}
