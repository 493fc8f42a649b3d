import { noteBlobsOf } from '../blobs/loose-blobs.ts'
import { type Database, pooled } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import { findDetached, findFirstBound, findPartitions, isTable, type Partition } from './catalog.ts'
import { briefly, detach } from './detach.ts'
import { attach, createPartition } from './make.ts'
import { type Cut, isPeriod, PARTITIONED_TABLES, type PartitionedTable } from './tables.ts'

/** Called with each partition before it goes. */
export type BeforeDrop = (table: PartitionedTable, partition: string) => Promise<void>

/**
 * Drops the partitions of tables of a cut whose ids are all smaller than `id`. Each is detached first, beside everybody who reads and writes; its blobs
 * are noted as nobody's in the transaction that drops it. Returns how many went.
 */
export async function dropPartitionsBefore(
  db: Database,
  cut: Cut,
  { id, before }: { id: string; before?: BeforeDrop },
): Promise<number> {
  let dropped = 0
  for (const table of PARTITIONED_TABLES.filter((one) => one.cut === cut)) {
    for (const { name } of await findExpired(db, table, id)) {
      await before?.(table, name)
      await detach(db, table, name)
    }
    for (const name of await findDetached(pooled(db), table)) {
      await dropDetached(db, table, name)
      dropped++
    }
    await fillGap(db, table)
  }
  return dropped
}

/** Periods that end before an id, oldest first. */
async function findExpired(db: Database, table: PartitionedTable, id: string): Promise<readonly Partition[]> {
  const partitions = await findPartitions(pooled(db), table)
  return partitions.filter(
    ({ name, to, isDetaching }) => isPeriod(table, name) && !isDetaching && to !== null && to <= id,
  )
}

const dropDetached = (db: Database, { blob }: PartitionedTable, name: string) =>
  briefly(db, async (trx) => {
    if (blob) await trx.query(noteBlobsOf({ table: raw(name), column: raw(blob) }, db.clock.now()))
    await trx.query(sql`${raw(`drop table ${name}`)}`)
  })

/**
 * Ids of periods that are gone have a place, too: a mail that was dropped may be opened years later, and whoever counts that must not fail. NAME_gone
 * covers them, and is as good as empty.
 */
async function fillGap(db: Database, table: PartitionedTable) {
  const gone = `${table.name}_gone`
  const partitions = await findPartitions(pooled(db), table)
  const first = partitions.find(({ name }) => isPeriod(table, name))
  const last = partitions.find(({ name }) => name === gone)
  const from = last?.from ?? (await findFirstBound(pooled(db), table))
  if (!first?.from || (last?.to ?? from) === first.from) return
  if (last) await detach(db, table, gone)
  const to = first.from
  await briefly(db, async (trx) => {
    if (!(await isTable(trx, gone))) await createPartition(trx, table, gone)
    await attach(trx, table, { name: gone, from, to })
  })
}
