import type { Database } from './db/database.ts'
import { raw, sql } from './db/sql.ts'
import type { Sealer } from './secrets.ts'

/** A column whose values are sealed with the secret key. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** What a value is sealed for, as SQL from its row: the context that the code seals and opens it with. */
  readonly context: string
}

const BATCH_SIZE = 500

interface SealedRow {
  readonly place: string
  readonly sealed: Buffer
  readonly context: string
}

export interface Resealed {
  readonly resealed: number
  /** Values that no key opens: they were lost before. */
  readonly unreadable: number
}

/**
 * Seals with the current key what was sealed with another one. In batches, each value by itself: what an interrupted run leaves is opened by the keys
 * before, and the next run goes on. A value that somebody else writes meanwhile is left alone.
 */
export async function resealColumn(db: Database, sealer: Sealer, column: SealedColumn): Promise<Resealed> {
  const sum = { resealed: 0, unreadable: 0 }
  for await (const row of outdatedRows(db, sealer, column)) {
    const text = openOf(sealer, row)
    if (text === null) sum.unreadable++
    else sum.resealed += await replace(db, column, { ...row, fresh: sealer.seal(text, row.context) })
  }
  return sum
}

/** Whether a value of the column can be read by a retired key alone. */
export async function needsRetiredKeys(db: Database, sealer: Sealer, column: SealedColumn): Promise<boolean> {
  for await (const row of outdatedRows(db, sealer, column)) if (openOf(sealer, row) !== null) return true
  return false
}

/** Those that the current key does not open. */
async function* outdatedRows(db: Database, sealer: Sealer, column: SealedColumn) {
  let after = '(0,0)'
  for (;;) {
    const rows = await readBatch(db, column, after)
    for (const row of rows) if (!sealer.isCurrent(row.sealed, row.context)) yield row
    if (rows.length < BATCH_SIZE) return
    after = rows.at(-1)!.place
  }
}

function openOf(sealer: Sealer, { sealed, context }: SealedRow): string | null {
  try {
    return sealer.open(sealed, context)
  } catch {
    return null
  }
}

/** In the order of the disk: a row that was sealed anew is met again at the end, where it is current. */
const readBatch = (db: Database, { table, column, context }: SealedColumn, after: string) =>
  db.query<SealedRow>(sql`
    select ctid::text as place, ${raw(column)} as sealed, ${raw(context)} as context from ${raw(table)}
    where ctid > ${after}::tid and ${raw(column)} is not null order by ctid limit ${BATCH_SIZE}`)

async function replace(db: Database, { table, column }: SealedColumn, row: SealedRow & { fresh: Buffer }) {
  const done = await db.query(sql.write`
    update ${raw(table)} set ${raw(column)} = ${row.fresh}
    where ctid = ${row.place}::tid and ${raw(column)} = ${row.sealed} returning 1`)
  return done.length
}
