import type { Database } from '../../src/platform/db/database.ts'
import { type Sql, sql } from '../../src/platform/db/sql.ts'

class RolledBack extends Error {}

/** How many buffers a statement reads. It is run and rolled back. As a search when it is planned as one. */
export async function readBuffers(db: Database, statement: Sql, { isSearch = false } = {}): Promise<number> {
  let buffers = 0
  const read = async (trx: Pick<Database, 'query'>) => {
    const [row] = await trx.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
      sql`explain (analyze, buffers, format json) ${statement}`,
    )
    const plan = row!['QUERY PLAN'][0]!.Plan
    buffers = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
    throw new RolledBack()
  }
  await (isSearch ? db.searching(read) : db.transaction(read)).catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error
  })
  return buffers
}
