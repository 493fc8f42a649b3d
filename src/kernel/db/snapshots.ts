import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** Which transactions somebody has seen, as `pg_current_snapshot()` writes it. */
export type Snapshot = string

export async function currentSnapshot(db: Queryable): Promise<Snapshot> {
  const [row] = await db.query<{ snapshot: Snapshot }>(sql`select pg_current_snapshot()::text as snapshot`)
  return row!.snapshot
}

/** `xmin:xmax:running,…`: all before `next` had ended, but for those that were running. */
export function readSnapshot(snapshot: Snapshot) {
  const [, next = '0', list = ''] = snapshot.split(':')
  const running = list === '' ? [] : list.split(',')
  return { oldest: running[0] ?? next, next, running }
}

/** All transactions before it have ended, for whoever looks later. */
export const endedBefore = (snapshot: Snapshot): bigint => BigInt(snapshot.split(':')[0]!)

/**
 * The same, but of the transactions of this database: one that writes here has a lock on a table here until it has ended. A transaction of
 * another database on the same server may take hours. Some tenths of a millisecond, so only who has to wait asks for it.
 */
export async function endedHereBefore(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ xid: string }>(sql`
    with held as materialized (select * from pg_locks)
    select coalesce((
      select running.xid from pg_snapshot_xip(pg_current_snapshot()) as running (xid)
      where exists (
        select from held own join held other on other.virtualtransaction = own.virtualtransaction
        where own.locktype = 'transactionid' and own.granted and own.transactionid = running.xid::xid
          and other.database = (select d.oid from pg_database d where d.datname = current_database()))
      order by running.xid limit 1), pg_snapshot_xmax(pg_current_snapshot()))::text as xid`)
  return BigInt(row!.xid)
}
