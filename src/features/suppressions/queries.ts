import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { SuppressionItem } from './schema.ts'

const COLUMNS = columnsOf(SuppressionItem, 's')

export const suppressionRows = (team: string, filter: Sql = sql`true`): Rows => ({
  columns: COLUMNS,
  from: sql`suppressions s`,
  where: sql`s.team_id = ${team} and ${filter}`,
  id: sql`s.id`,
})

/** One id for each address, in the order given. The database compares: its idea of lower case is the one in the index. */
export async function suppressionIds(db: Queryable, team: string, emails: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select s.id from unnest(${emails}::text[]) with ordinality as given (email, place)
    join suppressions s on s.team_id = ${team} and lower(s.email) = lower(given.email)
    order by place`)
  return rows.map(({ id }) => id)
}
