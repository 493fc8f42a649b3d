import type { Queryable } from './database.ts'
import { type Sql, sql } from './sql.ts'

/**
 * Whoever keeps PostgreSQL from removing dead rows: a session with a snapshot or a transaction number, a prepared transaction, or a
 * replication slot. Of a session its name and number are known, and nothing of what it asks.
 */
export interface SnapshotHolder {
  readonly kind: 'session' | 'prepared_transaction' | 'replication_slot'
  readonly name: string
  readonly pid: number | null
  /** The oldest transaction that it has not seen the end of. */
  readonly transaction: string
  /** How many have begun since. */
  readonly transactions: number
  /** Since when; null: PostgreSQL does not say. */
  readonly seconds: number | null
  /** Of a slot: whether anybody reads from it. */
  readonly isInUse: boolean
}

/** From here on somebody should look. A backup or a report takes less. */
export const OLD_SNAPSHOT_SECONDS = 3_600

/**
 * The snapshots of other databases do not matter here; those of standbys belong to no database. A transaction that has written holds rows back by its
 * number, also while it rests. A vacuum is no hindrance for another one. Of the sessions of other roles the begin is hidden, unless ours may read all
 * statistics. Slots say since PostgreSQL 17 when they were left.
 */
const snapshotHolders = (): Sql => sql`
  select kind, name, pid, transaction, age::int as transactions, "isInUse",
    extract(epoch from clock_timestamp() - since)::float8 as seconds
  from (
    select 'session' as kind, coalesce(nullif(application_name, ''), backend_type, '') as name, pid,
      coalesce(backend_xmin, backend_xid)::text as transaction, greatest(age(backend_xmin), age(backend_xid)) as age,
      xact_start as since, true as "isInUse"
    from pg_stat_activity
    where (backend_xmin is not null or backend_xid is not null) and pid <> pg_backend_pid()
      and (datname is null or datname = current_database()) and backend_type is distinct from 'autovacuum worker'
    union all
    select 'prepared_transaction', gid, null, transaction::text, age(transaction), prepared, true
    from pg_prepared_xacts where database = current_database()
    union all
    select 'replication_slot', slot_name, active_pid, coalesce(xmin, catalog_xmin)::text, greatest(age(xmin), age(catalog_xmin)),
      (to_jsonb(s) ->> 'inactive_since')::timestamptz, active
    from pg_replication_slots s where xmin is not null or catalog_xmin is not null
  ) held`

export const findSnapshotHolders = (db: Pick<Queryable, 'query'>): Promise<SnapshotHolder[]> =>
  db.query<SnapshotHolder>(snapshotHolders())

/** Who holds the oldest one, and for how long. */
export type OldestSnapshot = SnapshotHolder & { readonly seconds: number }

/**
 * Looks again and again. Where PostgreSQL does not say since when somebody holds a snapshot, it counts from the first look at which the
 * same one was there: heartbeats use up a transaction number each second, so one that is in use moves on.
 */
export class SnapshotWatch {
  readonly #now: () => number
  #firstSeen = new Map<string, number>()

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  async oldest(db: Pick<Queryable, 'query'>): Promise<OldestSnapshot | null> {
    const holders = await findSnapshotHolders(db)
    const now = this.#now()
    const seen = new Map<string, number>()
    let oldest: OldestSnapshot | null = null
    for (const holder of holders) {
      const key = JSON.stringify([holder.kind, holder.name, holder.pid, holder.transaction])
      const since = this.#firstSeen.get(key) ?? now
      seen.set(key, since)
      const seconds = Math.max(0, holder.seconds ?? (now - since) / 1_000)
      if (!oldest || seconds > oldest.seconds) oldest = { ...holder, seconds }
    }
    this.#firstSeen = seen
    return oldest
  }
}
