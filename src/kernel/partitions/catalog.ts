import type { Queryable } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import type { PartitionedTable, Span } from './tables.ts'

// What partitions there are, by PostgreSQL's own catalog: a run that was cut off anywhere is carried on from what it left.

/** A partition and its range of ids. */
export interface Partition extends Span {
  readonly name: string
  /** Somebody has begun to detach it, and was cut off. */
  readonly isDetaching: boolean
}

export async function findPartitions(db: Queryable, { name }: PartitionedTable): Promise<Partition[]> {
  const rows = await db.query<{ name: string; bound: string; isDetaching: boolean }>(sql`
    select c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bound, h.inhdetachpending as "isDetaching"
    from pg_inherits h join pg_class c on c.oid = h.inhrelid where h.inhparent = ${name}::regclass order by c.relname`)
  return rows
    .map(({ bound, ...row }) => ({ ...row, ...rangeOf(bound) }))
    .sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1))
}

/** `FOR VALUES FROM ('…') TO (MAXVALUE)`. */
function rangeOf(bound: string): Span {
  const [from, to] = [...bound.matchAll(/\((?:'([0-9a-f-]+)'|MINVALUE|MAXVALUE)\)/g)].map(([, id]) => id ?? null)
  return { from: from ?? null, to: to ?? null }
}

/** Partitions of this table that were detached and not dropped yet. */
export async function findDetached(db: Queryable, { name }: PartitionedTable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select c.relname::text as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
      and c.relname ~ ('^' || ${name}::text || '_p[0-9]{8}$') order by 1`)
  return rows.map((row) => row.name)
}

/** Where periods begin: the bound of what was there before them. */
export async function findFirstBound(db: Queryable, { name, within }: PartitionedTable): Promise<string> {
  const [row] = await db.query<{ bound: string }>(sql`
    select pg_get_expr(relpartbound, oid) as bound from pg_class where oid = ${within ?? `${name}_before`}::regclass`)
  const { from, to } = rangeOf(row!.bound)
  return (within ? from : to)!
}

/** Said of NAME_before when its rows went as a whole: those of mail that is gone, which come late, stay. */
export const EMPTIED = 'Its rows are gone.'

export const isEmptied = async (db: Queryable, name: string): Promise<boolean> =>
  (await db.query(sql`select 1 as found where obj_description(${name}::regclass, 'pg_class') = ${EMPTIED}`)).length > 0

export const isTable = async (db: Queryable, name: string): Promise<boolean> =>
  (await db.query(sql`select 1 as found from pg_class where oid = to_regclass(${name})`)).length > 0

export const hasRows = async (db: Queryable, name: string): Promise<boolean> =>
  (await db.query(sql`select 1 as found from ${raw(name)} limit 1`)).length > 0
