import pg from 'pg'

// What a database consists of, as its own catalog says: nothing here has to be kept up to date for a new table.

export interface Table {
  readonly name: string
  /** Those that are stored, in their order. */
  readonly columns: readonly string[]
  /** Numbers of transactions: they mean nothing on another server. */
  readonly transactionColumns: readonly string[]
  /** Keys of blobs, by the convention that such a column is called `blob` or `…_blob`. */
  readonly blobColumns: readonly string[]
  /** With partitions: its rows are theirs. */
  readonly isPartitioned: boolean
  /** As of the last vacuum. The exact size would wait for whoever locks the table. */
  readonly bytes: number
  readonly hasTriggers: boolean
}

export interface Sequence {
  readonly name: string
  /** Null: nobody has taken a number yet. */
  readonly value: string | null
}

const OURS = 'n.nspname = any (current_schemas(false))'

/**
 * A condition on a table `c`: it was a partition, and waits to be dropped or attached again. It is no table of its own, and there is none like it anywhere
 * else.
 */
export const IS_DETACHED = `(not c.relispartition and exists (
  select from pg_class parted where parted.relkind = 'p' and parted.relnamespace = c.relnamespace
    and c.relname ~ ('^' || parted.relname || '_(p[0-9]{8}|later|gone(_[0-9]{8})?)$')))`

export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Omit<Table, 'bytes'> & { bytes: string }>(`
    select c.relname::text as name,
      c.relkind = 'p' as "isPartitioned",
      ((
        select sum(leaf.relpages + coalesce(toast.relpages, 0))
        from pg_class leaf left join pg_class toast on toast.oid = leaf.reltoastrelid
        where leaf.oid = c.oid or leaf.oid in (select relid from pg_partition_tree(c.oid) where isleaf))::bigint
        * current_setting('block_size')::int)::text as bytes,
      coalesce(array_agg(a.attname::text order by a.attnum) filter (where a.attnum is not null), '{}') as columns,
      coalesce(array_agg(a.attname::text) filter (where a.atttypid = 'xid8'::regtype), '{}') as "transactionColumns",
      coalesce(array_agg(a.attname::text order by a.attnum) filter (
        where a.atttypid = 'text'::regtype and a.attname ~ '(^|_)blob$'), '{}') as "blobColumns",
      exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as "hasTriggers"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence <> 't' and ${OURS}
      and not ${IS_DETACHED}
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    group by c.oid, c.relname, c.relkind order by c.relname::text collate "C"`)
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

export async function listSequences(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(`
    select sequencename::text as name, last_value::text as value from pg_sequences
    where schemaname = any (current_schemas(false)) order by sequencename::text collate "C"`)
  return rows
}

export const identifier = (name: string) => pg.escapeIdentifier(name)

/** The table, without those that inherit from it. */
export const rowsOnlyOf = ({ name, isPartitioned }: Table): string =>
  isPartitioned ? identifier(name) : `only ${identifier(name)}`

export const selectAll = ({ columns, transactionColumns, ...table }: Table): string =>
  `select ${columns.map((column) => (transactionColumns.includes(column) ? `null::xid8 as ${identifier(column)}` : identifier(column))).join(', ')} from ${rowsOnlyOf({ columns, transactionColumns, ...table })}`

/** Statements that take something away from the schema, and those that bring it back as it was. */
interface Detour {
  readonly away: readonly string[]
  readonly back: readonly string[]
}

/**
 * Foreign keys are checked as a whole after the rows are there, whatever the order of the tables; indexes are built from sorted rows, in a
 * fraction of the time; our triggers have left their traces in the rows already. All of it is what the owner of the tables may do.
 */
export async function planLoading(client: pg.ClientBase, tables: readonly Table[]): Promise<Detour> {
  const keys = await client.query<{ table: string; name: string; definition: string }>(`
    select c.relname::text as table, k.conname::text as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'f' and k.conparentid = 0 and ${OURS} order by 1, 2`)
  const indexes = await client.query<{ name: string; definition: string }>(`
    select c.relname::text as name, pg_get_indexdef(c.oid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
    where ${OURS} and not c.relispartition and not exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u', 'x'))
    order by 1`)
  const noisy = tables.filter(({ hasTriggers }) => hasTriggers).map(({ name }) => identifier(name))
  return {
    away: [
      ...keys.rows.map(({ table, name }) => `alter table ${identifier(table)} drop constraint ${identifier(name)}`),
      ...indexes.rows.map(({ name }) => `drop index ${identifier(name)}`),
      ...noisy.map((name) => `alter table ${name} disable trigger user`),
    ],
    back: [
      ...indexes.rows.map(({ definition }) => definition),
      ...keys.rows.map(
        ({ table, name, definition }) =>
          `alter table ${identifier(table)} add constraint ${identifier(name)} ${definition}`,
      ),
      ...noisy.map((name) => `alter table ${name} enable trigger user`),
    ],
  }
}
