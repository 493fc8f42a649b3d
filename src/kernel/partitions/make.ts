import { DatabaseAway, isCheckViolation } from '../../platform/database-errors.ts'
import { type Database, pooled, type Queryable, type Transaction } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import { findPartitions, hasRows, type Partition } from './catalog.ts'
import { Blocked, briefly, detach, finalize } from './detach.ts'
import {
  boundAt,
  isPeriod,
  momentOfBound,
  nextPeriod,
  PARTITIONED_TABLES,
  type PartitionedTable,
  PERIODS_AHEAD,
  partitionName,
  periodStart,
  SANDBOXES_BOUND,
} from './tables.ts'

// Periods are made before their time comes. Beyond the last of them is one partition more, NAME_later, which is empty unless nobody has made any for
// a week, or a clock is ahead: then it becomes a period as it is, a long one, and another takes its place. So no row is ever copied, and none has no place.

/** Makes the periods that are missing, of all tables. Two processes at once, or one that is cut off, leave nothing that the next run does not finish. */
export async function makePartitions(db: Database, signal?: AbortSignal): Promise<void> {
  const failed: { table: string; error: unknown }[] = []
  for (const table of PARTITIONED_TABLES) {
    signal?.throwIfAborted()
    await withNewRows(() => makePeriods(db, table)).catch((error) => {
      // No other table fares better, and the log has heard of it.
      if (error instanceof DatabaseAway) throw error
      failed.push({ table: table.name, error })
    })
  }
  if (failed.length === 0) return
  const errors = failed.map(({ error }) => error)
  const words = failed.map(({ table, error }) => `${table}: ${(error as Error).message}`)
  throw new AggregateError(errors, `partitions: no periods were made of ${words.join('; ')}`)
}

const MAX_TRIES = 5

/** A row may come into NAME_later between the look and the lock: the next look sees it. */
async function withNewRows(work: () => Promise<void>) {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isCheckViolation(error) || tries === MAX_TRIES) throw error
    }
  }
}

async function makePeriods(db: Database, table: PartitionedTable) {
  const later = `${table.name}_later`
  const now = db.clock.now()
  const wanted = nextPeriod(table.unit, periodStart(table.unit, now), PERIODS_AHEAD + 1)
  const partitions = await finishDetaching(db, table)
  const last = partitions.findLast(({ to }) => to !== null && to < SANDBOXES_BOUND)
  const open = partitions.find(({ name }) => name === later)
  const begin = momentOfBound(open?.from ?? last!.to!)
  if (open && begin >= wanted) return
  // A clock may have been ahead: periods made then are kept.
  const end = new Date(Math.max(wanted.getTime(), begin.getTime()))
  // Rows that are written now need no place in it: nobody notices that it is away for a moment.
  const isFarOff = begin > nextPeriod(table.unit, now)
  const isUsed = await hasRows(pooled(db), later)
  const isSpare = open && isFarOff && !isUsed
  if (isSpare) await detach(db, { table, partition: later })
  // A row that came at the last moment stays where it is, also when somebody else has left it detached.
  if (isSpare || (!open && !isUsed)) await attachPeriods(db, table, { begin, end })
  else await closeLater(db, table, { begin, end, isAttached: open !== undefined })
}

/** What somebody has begun to detach is detached by whoever comes next. A period that is still in use holds up no others. */
async function finishDetaching(db: Database, table: PartitionedTable): Promise<readonly Partition[]> {
  const partitions = await findPartitions(pooled(db), table)
  for (const { name } of partitions.filter(({ isDetaching }) => isDetaching))
    await finalize(db, { table, partition: name, waitMs: 0 }).catch((error) => {
      if (!(error instanceof Blocked) || !isPeriod(table, name)) throw error
    })
  return partitions.filter(({ isDetaching }) => !isDetaching)
}

interface Span {
  readonly begin: Date
  readonly end: Date
}

/** Attaching a partition stops nobody: its check is on a table that is empty. */
async function attachPeriods(db: Database, table: PartitionedTable, { begin, end }: Span) {
  await briefly(db, async (trx) => {
    await attachEach(trx, table, { begin, end })
    await attachLater(trx, table, end)
  })
}

async function attachEach(trx: Transaction, table: PartitionedTable, { begin, end }: Span) {
  for (let start = begin; start < end; start = nextStart(table, start)) {
    const name = partitionName(table.name, start)
    await createPartition(trx, table, name)
    await attach(trx, table, { name, from: boundAt(start), to: boundAt(nextStart(table, start)) })
  }
}

/** The first period may be a part of one: it begins where the others end. */
const nextStart = ({ unit }: PartitionedTable, start: Date) => nextPeriod(unit, periodStart(unit, start))

const attachLater = (trx: Transaction, table: PartitionedTable, end: Date) =>
  attach(trx, table, { name: `${table.name}_later`, from: boundAt(end), to: SANDBOXES_BOUND })

/**
 * The rows that are in NAME_later stay where they are: it gets the name and the bounds of a period, up to where its last row would be two periods old.
 * That all rows are within is made sure of before, beside everybody; the exclusive lock is for a moment.
 */
async function closeLater(
  db: Database,
  table: PartitionedTable,
  { begin, end, isAttached }: Span & { readonly isAttached: boolean },
) {
  const later = `${table.name}_later`
  const newest = await newestIn(pooled(db), table, later)
  const closed = nextPeriod(table.unit, periodStart(table.unit, newest ?? begin), newest ? 2 : 0)
  const isUsed = closed > begin
  const check = `${later}_bound`
  if (isUsed) {
    await briefly(db, (trx) => trx.query(sql`${raw(`alter table ${later} drop constraint if exists ${check}`)}`))
    await briefly(db, (trx) =>
      trx.query(
        sql`${raw(`alter table ${later} add constraint ${check} check (${table.key} < '${boundAt(closed)}') not valid`)}`,
      ),
    )
    await db.queryPooled(sql`${raw(`alter table ${later} validate constraint ${check}`)}`)
  }
  await briefly(db, async (trx) => {
    if (isAttached) await trx.query(sql`${raw(`alter table ${table.name} detach partition ${later}`)}`)
    if (isUsed) {
      const name = partitionName(table.name, begin)
      await trx.query(sql`${raw(`alter table ${later} rename to ${name}`)}`)
      await attach(trx, table, { name, from: boundAt(begin), to: boundAt(closed) })
      await createPartition(trx, table, later)
    }
    const first = isUsed ? closed : begin
    const last = end > first ? end : first
    await attachEach(trx, table, { begin: first, end: last })
    await attachLater(trx, table, last)
  })
}

async function newestIn(db: Queryable, { key }: PartitionedTable, name: string): Promise<Date | null> {
  const [row] = await db.query<{ newest: string | null }>(
    sql`select max(${raw(key)}::text) as newest from ${raw(name)}`,
  )
  return row!.newest === null ? null : momentOfBound(row!.newest)
}

export const createPartition = (trx: Queryable, table: PartitionedTable, name: string) =>
  trx.query(sql`select create_partition(${table.name}::regclass, ${name})`)

/** Attaches it, and drops what said of its rows that they are within other bounds: its own say that now. */
export async function attach(
  trx: Queryable,
  { name: parent }: PartitionedTable,
  { name, from, to }: { name: string; from: string; to: string },
) {
  await trx.query(
    sql`${raw(`alter table ${parent} attach partition ${name} for values from ('${from}') to ('${to}')`)}`,
  )
  const checks = await trx.query<{ check: string }>(sql`
    select quote_ident(conname) as check from pg_constraint where conrelid = ${name}::regclass and contype = 'c' and coninhcount = 0`)
  for (const { check } of checks) await trx.query(sql`${raw(`alter table ${name} drop constraint ${check}`)}`)
}
