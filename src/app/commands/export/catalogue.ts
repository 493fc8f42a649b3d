import { IS_DETACHED } from '../../../kernel/db/catalog.ts'
import { NOT_EXPORTED, OMITTED_COLUMNS } from './exceptions.ts'

// What there is to export, from PostgreSQL's own catalogue: a new table or column is in the export by itself.

export interface Column {
  readonly name: string
  /** As PostgreSQL calls it. */
  readonly type: string
  readonly isRequired: boolean
  readonly description: string | null
}

/** One table, and one file of the export. */
export interface Kind {
  readonly name: string
  readonly description: string | null
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
  /** Kinds whose rows must be there first, by a foreign key that is checked at once. */
  readonly parents: readonly string[]
  /** Columns with the id of a person. */
  readonly people: readonly string[]
  /** Columns with the key of a blob. */
  readonly blobs: readonly string[]
  /** Events that a subscriber has still to process (`outbox_notes`, `outbox_batches`). */
  readonly isPending: boolean
}

interface CatalogueRow extends Omit<Kind, 'columns' | 'parents' | 'people' | 'blobs' | 'isPending'> {
  readonly columns: readonly (Column & { readonly isGenerated: boolean })[]
  readonly references: readonly { table: string; columns: readonly string[]; isDeferrable: boolean }[]
  readonly inherits: string | null
}

const namesOf = (numbers: string, table: string) => `(
  select json_agg(a.attname order by n.place) from unnest(${numbers}) with ordinality n (number, place)
  join pg_attribute a on a.attrelid = ${table} and a.attnum = n.number)`

export const CATALOGUE = `
  select c.relname as name, obj_description(c.oid, 'pg_class') as description,
    coalesce((
      select ${namesOf('i.indkey::int2[]', 'i.indrelid')} from pg_index i
      where (i.indrelid = c.oid or i.indrelid in (select relid from pg_partition_tree(c.oid))) and i.indisprimary limit 1), '[]') as "primaryKey",
    (select h.inhparent::regclass::text from pg_inherits h where h.inhrelid = c.oid) as inherits,
    (select json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'isRequired', a.attnotnull,
        'isGenerated', a.attgenerated <> '' or a.attidentity <> '', 'description', col_description(c.oid, a.attnum)) order by a.attnum)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    coalesce((
      select json_agg(json_build_object('table', f.confrelid::regclass::text, 'isDeferrable', f.condeferrable,
        'columns', ${namesOf('f.conkey', 'f.conrelid')}) order by f.conname)
      from pg_constraint f where f.conrelid = c.oid and f.contype = 'f'), '[]') as "references"
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and not ${IS_DETACHED}
  order by c.relname`

export type RunText = (text: string) => Promise<readonly object[]>

/** All tables that are exported, each after those that it refers to. `leftOut`: others than an export leaves out. */
export async function readKinds(run: RunText, leftOut: object = NOT_EXPORTED): Promise<Kind[]> {
  const rows = (await run(CATALOGUE)) as CatalogueRow[]
  return inOrder(rows.filter(({ name }) => !(name in leftOut)).map(kindOf))
}

/** The number of the process that has a row. Who has a policy is a holder, too, and a word. */
const isClaim = ({ name, type }: Column) => name === 'holder' && type === 'integer'

function kindOf({ references, inherits, columns, ...table }: CatalogueRow): Kind {
  const kept = columns.filter(
    (column) => !column.isGenerated && !isClaim(column) && !OMITTED_COLUMNS[table.name]?.[column.name],
  )
  const isOther = ({ table: target }: { table: string }) => target !== table.name
  return {
    ...table,
    columns: kept.map(({ isGenerated: _generated, ...column }) => column),
    parents: references.filter((one) => isOther(one) && !one.isDeferrable).map((one) => one.table),
    people: references.filter((one) => one.table === 'users').flatMap((one) => one.columns),
    blobs: kept.map(({ name }) => name).filter((name) => name === 'blob' || name.endsWith('_blob')),
    isPending: inherits === 'outbox_notes' || inherits === 'outbox_batches',
  }
}

/**
 * What else comes first. Triggers count messages into threads that exist, and threads into inboxes: in the other direction there is nothing
 * yet that they could count twice.
 */
const ALSO_AFTER: Readonly<Record<string, readonly string[]>> = {
  inbox_threads: ['inbox_messages'],
  inboxes: ['inbox_threads', 'outbox'],
}

function inOrder(kinds: readonly Kind[]): Kind[] {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  const ordered = new Set<Kind>()
  const add = (kind: Kind, below: readonly string[]) => {
    if (ordered.has(kind)) return
    if (below.includes(kind.name)) throw new Error(`Tables refer to each other: ${[...below, kind.name].join(', ')}`)
    for (const name of [...kind.parents, ...(ALSO_AFTER[kind.name] ?? [])]) {
      const parent = byName.get(name)
      if (parent) add(parent, [...below, kind.name])
    }
    ordered.add(kind)
  }
  for (const kind of kinds) if (!kind.isPending) add(kind, [])
  for (const kind of kinds) add(kind, [])
  return [...ordered]
}
