import type { Queryable } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { IdRange } from './id-ranges.ts'

/**
 * A resource's one team-scoped access to its table: what an item looks like, where it comes from and whose it is. Lists page through
 * it and retrieving looks into it, so that neither can forget the team.
 */
export interface Rows {
  readonly columns: Sql
  readonly from: Sql
  /** Names the team, always. */
  readonly where: Sql
  /** Names an item. It sorts the list and is its cursor, unless `order` says what does. */
  readonly id: Sql
  /** Set: what sorts the list, and where in that order the item is that a cursor names. */
  readonly order?: { readonly by: Sql; positionOf(cursor: string): Sql }
  /** Set: the oldest first. */
  readonly isAscending?: boolean
  /**
   * Set: rows of the table are chosen first, under the name `of`, and what the columns need besides is looked up for those of the page
   * only.
   */
  readonly joined?: { readonly of: Sql; readonly with: Sql }
  /**
   * Set: the list is what meets one of these conditions, and no row meets two. Each part is read by itself, up to a page, so an index
   * that has its rows in order is enough, however rare they are.
   */
  readonly parts?: readonly Sql[]
  /** Set: how to find a page best depends on what is looked for, and it may take long, so nobody should wait behind it. */
  readonly isFiltered?: boolean
  /** Set: its table has a partition for each period of so many days, along the ids. `before`: no item has this id or a later one. */
  readonly periods?: { readonly days: 1 | 7; readonly before?: string }
  /** Set: the same rows for a piece of the list, which say its bounds also where other tables with partitions are looked into. */
  narrowed?(piece: IdRange): Rows
  /**
   * Set: the tables that have the ids of the list, and perhaps ids of more than its items. As many of them as a page has are looked for first, and the
   * page between the first and the last of these: what joins several tables is then planned for a day of each.
   */
  readonly ids?: readonly IdSource[]
  /** Set: a field that is null is left out, as clients know it of this item. */
  readonly omitsNulls?: boolean
}

export interface IdSource {
  /** A table and a condition that names the team; other conditions may follow. */
  readonly from: Sql
  readonly id: Sql
}

export async function findRow<Row>(db: Queryable, rows: Rows, id: string): Promise<Row | undefined> {
  const [row] = await db.query<Row & object>(sql`
    select ${rows.columns} from ${rows.from} ${rows.joined?.with ?? sql``} where ${rows.where} and ${rows.id} = ${id}`)
  if (!row || !rows.omitsNulls) return row
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row
}
