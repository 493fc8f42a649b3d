import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Window } from '../http/page.ts'
import type { Rows } from '../http/rows.ts'
import { type Criteria, conditionsOf, readCriteria, type SearchRequest, type SearchRules } from './criteria.ts'
import { findIds, type Search } from './find.ts'
import type { SearchSource } from './source.ts'

/** A list that can be searched: its items, and what it can be asked for. */
export interface Searchable {
  readonly source: SearchSource
  readonly rules: SearchRules
}

/** What the items themselves have to say to a search. */
export type Besides = Pick<Search, 'besides' | 'ways' | 'noted'>

/** The ids of a page of what fits, and of one more if there is one. */
export const findPage = (
  db: Database,
  team: string,
  { source, rules, criteria, window, ...besides }: Searchable & { criteria: Criteria; window: Window } & Besides,
): Promise<string[]> =>
  findIds(
    db,
    {
      source,
      team,
      conditions: conditionsOf({ team, kind: source.kind }, rules, criteria),
      range: criteria.range,
      ...besides,
    },
    { cursor: window.cursor, isOlder: window.direction === 'older', amount: window.limit! + 1 },
  )

/** The rows of a list that fit what is asked for; all of them where nothing is searched for. */
export async function searchRows(
  db: Database,
  team: string,
  {
    searchable,
    q,
    to,
    rows,
    window,
    ...besides
  }: SearchRequest & { searchable: Searchable; rows: Rows; window: Window } & Besides,
): Promise<Rows> {
  const criteria = readCriteria({ team, kind: searchable.source.kind }, searchable.rules, { q, to })
  if (!criteria) return rows
  return among(rows, await findPage(db, team, { ...searchable, criteria, window, ...besides }))
}

/** Those of the rows that have these ids. */
export const among = ({ periods: _, ...rows }: Rows, ids: readonly string[]): Rows => ({
  ...rows,
  where: sql`${rows.where} and ${rows.id} = any (${ids}::uuid[])`,
  isFiltered: false,
})
