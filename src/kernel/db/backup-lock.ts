import type pg from 'pg'
import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** Any number, as long as it stays. */
const BACKUP_LOCK = 7_077_005

/** One backup, restore or verification of a database at a time. Held until the session ends. False: another one has it. */
export async function tryBackupLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [BACKUP_LOCK])
  return rows[0]!.got
}

/** A look, and no lock: that of the next backup would fail on it. */
export async function isBackupRunning(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isRunning: boolean }>(sql`
    select exists (
      select from pg_locks where locktype = 'advisory' and classid = 0 and objid = ${BACKUP_LOCK}::bigint::oid and objsubid = 1
        and database = (select d.oid from pg_database d where d.datname = current_database())) as "isRunning"`)
  return row!.isRunning
}
