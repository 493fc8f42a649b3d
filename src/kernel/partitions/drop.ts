import { noteBlobsOf } from '../blobs/loose-blobs.ts'
import { type Database, pooled } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import {
  EMPTIED,
  findDetached,
  findFirstBound,
  findPartitions,
  hasRows,
  isEmptied,
  isTable,
  type Partition,
} from './catalog.ts'
import { Blocked, briefly, DETACH_WAIT_MS, detach, exclusively, finalize } from './detach.ts'
import { attach, createPartition } from './make.ts'
import {
  type Cut,
  firstTable,
  isBefore,
  isGone,
  isPeriod,
  momentOfBound,
  overlap,
  type PartitionedTable,
  partitionName,
  type Span,
  tablesBefore,
  tablesOf,
} from './tables.ts'

export interface Drop {
  /** Ids whose rows stay. */
  readonly kept: readonly Span[]
  /** Whatever ends behind it stays, too. */
  readonly end: string
  /** Called with each partition before it goes. */
  readonly before?: (table: PartitionedTable, partition: string) => Promise<void>
  /** Called when partitions are not seen by anybody any more, and before they are dropped, with an id behind the last one: again where a run was cut off in between. */
  readonly detached?: (end: string) => Promise<void>
  /** Called with each that is in use: the next run tries again, and this one goes on with other tables. */
  readonly blocked?: (error: Blocked) => void
  /** For others, before a partition goes. Once that was not enough nobody is waited for any more. */
  readonly waitMs?: number | undefined
}

/**
 * Drops the periods of the tables of a cut that have none of the ids that stay. Each is detached first, beside everybody who reads and writes; its blobs are noted as
 * nobody's in the transaction that drops it. What is to go follows from what is there: a run that was cut off anywhere is carried on by the next one.
 * Returns how many went.
 */
export async function dropPeriods(db: Database, cut: Cut, drop: Drop): Promise<number> {
  const others: Others = { waitMs: drop.waitMs ?? DETACH_WAIT_MS }
  let dropped = 0
  const hasOld = await hasRows(pooled(db), `${firstTable(cut).name}_before`)
  for (const table of tablesBefore(cut)) {
    const run = new TableDrop(db, table, { ...drop, others })
    await run.noteLeft()
    if (hasOld) await run.unlessBlocked(() => run.emptyBefore())
    dropped += await run.dropDetached()
  }
  for (const table of tablesOf(cut)) {
    const run = new TableDrop(db, table, { ...drop, others })
    await run.unlessBlocked(() => run.detachExpired())
    dropped += await run.dropDetached()
    await run.unlessBlocked(() => run.fillGaps())
  }
  return dropped
}

/**
 * For how long others are waited for before each partition, over all tables of a run. In all it would be too little under load, where each of a year's periods waits a moment for
 * those who are at work, or where each is archived first.
 */
interface Others {
  waitMs: number
}

/** How what covers a gap is called, and where it begins. */
interface Begin {
  readonly name: string
  readonly from: string
}

class TableDrop {
  readonly #db: Database
  readonly #table: PartitionedTable
  readonly #drop: Drop & { readonly others: Others }

  constructor(db: Database, table: PartitionedTable, drop: Drop & { readonly others: Others }) {
    this.#db = db
    this.#table = table
    this.#drop = drop
  }

  get #waitMs() {
    return this.#drop.others.waitMs
  }

  /** Who holds up one partition of a table holds up the others. */
  async unlessBlocked(work: () => Promise<unknown>) {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Blocked)) throw error
      this.#drop.others.waitMs = 0
      this.#drop.blocked?.(error)
    }
  }

  async detachExpired() {
    const { kept, end, before, detached } = this.#drop
    const partitions = await findPartitions(pooled(this.#db), this.#table)
    for (const { name, isDetaching } of partitions)
      if (isDetaching) await finalize(this.#db, { table: this.#table, partition: name, waitMs: this.#waitMs })
    const isExpired = (one: Partition) => one.to !== null && one.to <= end && !kept.some((span) => overlap(span, one))
    const expired = partitions.filter((one) => isPeriod(this.#table, one.name) && (one.isDetaching || isExpired(one)))
    let gone: string | null = null
    try {
      for (const { name, isDetaching, to } of expired) {
        if (!isDetaching) {
          await before?.(this.#table, name)
          await this.#detach(name)
        }
        gone = to
      }
    } finally {
      // Also of those before one that is in use.
      if (gone !== null) await detached?.(gone)
    }
  }

  /** Of those that somebody has left who was cut off nobody knows whether it was said that they are gone. */
  async noteLeft() {
    const left = await findDetached(pooled(this.#db), this.#table)
    if (left.length > 0) await this.#drop.detached?.(this.#drop.end)
  }

  /**
   * What was there before the periods goes as a whole, too, once, and an empty table takes its place at the same time: its bound is where periods begin. The other one
   * waits to be dropped under the name of a period.
   */
  async emptyBefore() {
    const { kept, end, before, detached: noteDetached } = this.#drop
    const partitions = await findPartitions(pooled(this.#db), this.#table)
    const old = partitions.find(({ name }) => isBefore(this.#table, name))
    if (!old?.to || old.to > end || kept.some((span) => overlap(span, old))) return
    if (await isEmptied(pooled(this.#db), old.name)) return
    await before?.(this.#table, old.name)
    const [parent, name, to] = [this.#table.name, old.name, old.to]
    const detached = partitionName(parent, new Date(0))
    await exclusively(this.#db, { partition: name, parent }, async (trx) => {
      await trx.query(sql`${raw(`alter table ${parent} detach partition ${name}`)}`)
      await trx.query(sql`${raw(`alter table ${name} rename to ${detached}`)}`)
      await trx.query(sql`select create_partition(${detached}::regclass, ${name})`)
      await trx.query(
        sql`${raw(`alter table ${parent} attach partition ${name} for values from (minvalue) to ('${to}')`)}`,
      )
      await trx.query(sql`${raw(`comment on table ${name} is '${EMPTIED}'`)}`)
    })
    await noteDetached?.(to)
  }

  #detach(partition: string) {
    return detach(this.#db, { table: this.#table, partition, waitMs: this.#waitMs })
  }

  /** Also those that somebody has left who was cut off. */
  async dropDetached(): Promise<number> {
    const { blob } = this.#table
    let dropped = 0
    for (const name of await findDetached(pooled(this.#db), this.#table))
      await this.unlessBlocked(async () => {
        await exclusively(this.#db, { partition: name }, async (trx) => {
          if (blob) await trx.query(noteBlobsOf({ table: raw(name), column: raw(blob) }, this.#db.clock.now()))
          await trx.query(sql`${raw(`drop table ${name}`)}`)
        })
        dropped++
      })
    return dropped
  }

  /**
   * Ids of dropped periods have a place, too: a mail that was dropped may be opened years later, and whoever counts that must not fail. NAME_gone
   * covers them, and NAME_gone_DAY behind a period that stays; they are as good as empty.
   */
  async fillGaps() {
    await this.#fillEach()
    if (await this.#dropEmpty()) await this.#fillEach()
  }

  async #fillEach() {
    for (const { own, larger, to } of await this.#findGaps()) {
      const isLarger = larger !== null && (await this.#isDetached(larger.name))
      const cover = { ...(isLarger ? larger : own), to }
      await briefly(this.#db, async (trx) => {
        if (!(await isTable(trx, cover.name))) await createPartition(trx, this.#table, cover.name)
        await attach(trx, this.#table, cover)
      })
    }
  }

  /** False: it is in use, and stays as it is. */
  async #isDetached(name: string): Promise<boolean> {
    try {
      await this.#detach(name)
      return true
    } catch (error) {
      if (!(error instanceof Blocked)) throw error
      const partitions = await findPartitions(pooled(this.#db), this.#table)
      if (partitions.some((one) => one.name === name && one.isDetaching)) throw error
      return false
    }
  }

  /** One that follows another one goes where it has no rows: that one takes its ids. */
  async #dropEmpty(): Promise<boolean> {
    let isDropped = false
    const partitions = await this.#findCovering()
    for (const [index, { name }] of partitions.entries()) {
      const isBehindAnother =
        isGone(this.#table, name) &&
        partitions.slice(0, index).some((one) => isGone(this.#table, one.name) && one.to === partitions[index]!.from)
      if (!isBehindAnother || (await hasRows(pooled(this.#db), name))) continue
      const parent = this.#table.name
      await exclusively(this.#db, { partition: name, parent }, async (trx) => {
        await trx.query(sql`${raw(`alter table ${parent} detach partition ${name}`)}`)
        // A row that came at the last moment keeps it.
        if (await hasRows(trx, name)) throw new Blocked(name, [])
        await trx.query(sql`${raw(`drop table ${name}`)}`)
      })
      isDropped = true
    }
    return isDropped
  }

  /** Periods, and what covers those that are gone, in their order. */
  async #findCovering(): Promise<readonly Partition[]> {
    const partitions = await findPartitions(pooled(this.#db), this.#table)
    return partitions.filter(({ name }) => isPeriod(this.#table, name) || isGone(this.#table, name))
  }

  async #findGaps() {
    const first = await findFirstBound(pooled(this.#db), this.#table)
    const gaps: { own: Begin; larger: Begin | null; to: string }[] = []
    let last: Span & { name: string | null } = { name: null, from: first, to: first }
    for (const { name, from, to } of await this.#findCovering()) {
      if (from! > last.to!) {
        const own = { name: this.#goneAt(last.to!, first), from: last.to! }
        // The one before it becomes larger.
        const larger = last.name !== null && isGone(this.#table, last.name) && { name: last.name, from: last.from! }
        gaps.push({ own, larger: larger || null, to: from! })
      }
      last = { name, from, to }
    }
    return gaps
  }

  /** One that somebody has left detached has the name of where it begins. */
  #goneAt(begin: string, first: string): string {
    const gone = `${this.#table.name}_gone`
    return begin === first ? gone : `${gone}_${momentOfBound(begin).toISOString().slice(0, 10).replaceAll('-', '')}`
  }
}
