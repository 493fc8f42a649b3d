import type { Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { FREE_OF_ADDRESSES } from './free-of-addresses.ts'

// What is searched, from PostgreSQL's own catalogue: every column that can hold text, of every table. A new table or column is searched by itself.

/** Types that hold what people write. An array is searched like its items. */
const SEARCHED_TYPES = ['text', 'text[]', 'character varying', 'json', 'jsonb', 'bytea', 'tsvector', 'xml', 'citext']

export interface Column {
  readonly name: string
  /** As PostgreSQL calls it. */
  readonly type: string
}

export interface SearchedTable {
  readonly name: string
  readonly key: readonly Column[]
  /** Those in which addresses are looked for. */
  readonly columns: readonly Column[]
  readonly hasTeam: boolean
  /** Columns with the key of a blob. */
  readonly blobs: readonly string[]
  /** Its html and text may be packed in a column `content`: they are searched, shown and replaced as if they were not. */
  readonly hasPackedBodies: boolean
}

/** A period that was detached and is not dropped yet is a table of its own. */
const HAS_PACKED_BODIES = /^email_bodies(_p\d{8})?$/

interface CatalogueRow {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: readonly (Column & { readonly isGenerated: boolean })[]
}

/** All tables; of a partitioned one its parent alone. */
export const readTables = (db: Queryable) =>
  db.query<CatalogueRow>(sql`
    select c.relname as name,
      coalesce((
        select json_agg(a.attname order by k.place) from pg_index i, unnest(i.indkey::int2[]) with ordinality k (number, place)
        join pg_attribute a on a.attnum = k.number
        where i.indexrelid = (
            -- A partitioned table may have its key in its partitions alone.
            select p.indexrelid from pg_index p where p.indisprimary and (
              p.indrelid = c.oid or p.indrelid in (select relid from pg_partition_tree(c.oid))) limit 1)
          and a.attrelid = i.indrelid), '[]') as key,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null),
          'isGenerated', a.attgenerated <> '') order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`)

export async function readSearchedTables(db: Queryable): Promise<SearchedTable[]> {
  const tables = await readTables(db)
  return tables.map(searchedOf).filter(({ columns }) => columns.length > 0)
}

export function searchedOf({ name, key, columns }: CatalogueRow): SearchedTable {
  const free = FREE_OF_ADDRESSES[name] ?? {}
  return {
    name,
    key: key.map((one) => columns.find((column) => column.name === one)!),
    columns: columns.filter(
      ({ name: column, type, isGenerated }) => SEARCHED_TYPES.includes(type) && !isGenerated && !(column in free),
    ),
    hasTeam: columns.some((column) => column.name === 'team_id'),
    blobs: columns.map((column) => column.name).filter((column) => column === 'blob' || column.endsWith('_blob')),
    hasPackedBodies: HAS_PACKED_BODIES.test(name),
  }
}
