import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { hasAddress, readAddress } from '../../kernel/http/address-filter.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { lookUp } from '../../kernel/search/find.ts'
import { areSuppressionsOf, type SuppressionsRef } from '../emails/delivery/ledger/suppressions.ts'
import { type SuppressionFilter, SuppressionItem } from './schema.ts'

const COLUMNS = columnsOf(SuppressionItem, 's')

/** Of a suppression `s`. */
function meetsFilter({ origin, email }: Static<typeof SuppressionFilter>): Sql {
  const { whole } = readAddress(email)
  return sql`
    ${origin ? sql`s.origin = ${origin}` : sql`true`} and ${whole === undefined ? sql`true` : hasAddress(sql`s.email`, whole)}`
}

/** The suppression of a search document `d`, if it meets the filter. */
export const joinFiltered = (team: string, filter: Static<typeof SuppressionFilter>) => ({
  with: lookUp(sql`s`, sql`suppressions s where s.team_id = ${team} and s.id = d.id`),
  where: meetsFilter(filter),
})

export const suppressionRows = (team: string, filter: Static<typeof SuppressionFilter>): Rows => ({
  columns: COLUMNS,
  from: sql`suppressions s`,
  where: sql`s.team_id = ${team} and ${meetsFilter(filter)}`,
  id: sql`s.id`,
  isFiltered: filter.email !== undefined,
})

export async function findSuppression(db: Queryable, team: string, ref: SuppressionsRef) {
  const [suppression] = await db.query<Static<typeof SuppressionItem>>(sql`
    select ${COLUMNS} from suppressions s where s.team_id = ${team} and ${areSuppressionsOf(ref)}`)
  return suppression
}

/** One id for each address, in the order given. The database compares: its idea of lower case is the one in the index. */
export async function suppressionIds(db: Queryable, team: string, emails: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select s.id from unnest(${emails}::text[]) with ordinality as given (email, place)
    join suppressions s on s.team_id = ${team} and lower(s.email) = lower(given.email)
    order by place`)
  return rows.map(({ id }) => id)
}
