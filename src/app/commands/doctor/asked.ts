import type pg from 'pg'
import type { Sql } from '../../../kernel/db/sql.ts'

/** A client as what reads through `Database` asks it. */
export const asked = (client: pg.Client) => ({
  query: async <Row>(statement: Sql): Promise<Row[]> => (await client.query(statement.toQuery())).rows as Row[],
})
