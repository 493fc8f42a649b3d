import type { Queryable } from '../../src/kernel/db/database.ts'
import { type Sql, sql } from '../../src/kernel/db/sql.ts'

interface Plan {
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
}

/** How many pages a statement looks at. It is run once before: the first one to see a row after its transaction marks its page. */
export async function buffersOf(db: Queryable, statement: Sql): Promise<number> {
  await db.query(statement)
  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    sql`explain (analyze, buffers, timing off, format json) ${statement}`,
  )
  const [{ Plan: plan }] = row!['QUERY PLAN']
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}
