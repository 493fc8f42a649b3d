import type { BlobStore } from '../../adapters/blobs/blob-store.ts'
import type { Clock } from '../../platform/clock.ts'
import { isBackupRunning } from '../db/backup-lock.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { hours, job, minutes } from '../jobs/job.ts'

/**
 * Notes blobs that are about to be written. Whoever names them does so with `referencedBlob`, or they are swept: a request that dies, or is
 * refused, after its blobs were written leaves nothing for ever.
 */
export async function noteBlobs(db: Queryable, keys: readonly string[]) {
  if (keys.length === 0) return
  await db.query(sql.write`
    insert into loose_blobs (key, noted_at) select unnest(${keys}::text[]), ${db.clock.now()}::timestamptz`)
}

/** Notes blobs that nobody is going to name any more, whether somebody has noted them already or not. */
export async function abandonBlobs(db: Queryable, keys: readonly string[]) {
  await db.query(sql.write`
    insert into loose_blobs (key, noted_at) select unnest(${keys}::text[]), ${db.clock.now()}::timestamptz
    on conflict (key) do nothing`)
}

/** Notes blobs that are about to be written, perhaps not for the first time. False: one of them is just being removed. */
export async function renewNotes(db: Queryable, keys: readonly string[]): Promise<boolean> {
  const noted = await db.query(sql.write`
    insert into loose_blobs (key, noted_at) select distinct key, ${db.clock.now()}::timestamptz from unnest(${keys}::text[]) key
    on conflict (key) do update set noted_at = excluded.noted_at where not loose_blobs.is_being_removed returning key`)
  return noted.length === new Set(keys).size
}

/** Takes over the noted blobs that rows name which were written already; `named` selects their keys. Gives those that were not noted. */
export async function takeNamed(trx: Transaction, named: Sql): Promise<string[]> {
  const rows = await trx.query<{ key: string }>(sql.write`
    with named as materialized (${named}),
    taken as (delete from loose_blobs l using named where l.key = named.key and not l.is_being_removed returning l.key)
    select key from named where not exists (select from taken where taken.key = named.key)`)
  return rows.map(({ key }) => key)
}

/** Notes the blobs that a table names, which is about to be dropped. */
export const noteBlobsOf = ({ table, column }: { table: Sql; column: Sql }, now: Date): Sql => sql.write`
  insert into loose_blobs (key, noted_at)
  select distinct ${column}, ${now}::timestamptz from ${table} where ${column} is not null on conflict (key) do nothing`

/** The key of a noted blob, in the statement that names it. */
export const referencedBlob = (key: Sql): Sql => sql`take_blob(${key})`

const BATCH = 100

/** Much longer than any request takes; and for what was deleted, a day to think better of it. */
const RETENTION_SECONDS = hours(24)
/** Of a sandbox nobody wants anything back. The version of its id is in the key, behind the kind of the blob. */
const SANDBOX_RETENTION_SECONDS = hours(1)

interface SweepServices {
  readonly db: Database
  readonly clock: Clock
  readonly blobs: BlobStore
}

/**
 * Removes what nobody has named. Marked first, so that nobody names it now; a second run finds the rest of what is marked. While a backup
 * is made everything stays: it copies what its snapshot of the database names, and that may have been deleted since. A sweep that began before
 * the backup removes only what was loose then.
 */
export const sweepBlobs = job<object, SweepServices>({
  name: 'blobs.sweep',
  everySeconds: minutes(15),
  retryAfterSeconds: [],
  async run(_payload, { db, clock, blobs, signal }) {
    if (await isBackupRunning(db)) return
    const ago = (seconds: number) => new Date(clock.now().getTime() - seconds * 1_000)
    const before = { all: ago(RETENTION_SECONDS), ofSandboxes: ago(SANDBOX_RETENTION_SECONDS) }
    let failure: unknown
    let keys = await markForRemoval(db, { before, after: '' })
    while (keys.length > 0) {
      const removed: string[] = []
      for (const key of keys) {
        signal.throwIfAborted()
        try {
          await blobs.remove(key)
          removed.push(key)
        } catch (error) {
          failure = error
        }
      }
      await db.query(sql.write`delete from loose_blobs where key = any (${removed}::text[])`)
      // One that cannot be removed does not keep the others, and is tried again with the next sweep. None: the store is away.
      if (removed.length === 0) break
      keys = await markForRemoval(db, { before, after: keys.at(-1)! })
    }
    if (failure) throw failure
  },
})

async function markForRemoval(
  db: Queryable,
  { before, after }: { before: { all: Date; ofSandboxes: Date }; after: string },
): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql.write`
    update loose_blobs set is_being_removed = true
    where key in (
      select key from loose_blobs
      where noted_at < case substr(split_part(key, '/', 2), 15, 1)
          when '8' then ${before.ofSandboxes}::timestamptz else ${before.all}::timestamptz end
        and key > ${after}
      order by key limit ${BATCH})
    returning key`)
  return rows.map(({ key }) => key).sort()
}
