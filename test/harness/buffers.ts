import type { Database, Queryable, Transaction } from '../../src/kernel/db/database.ts'
import { type Sql, sql } from '../../src/kernel/db/sql.ts'

class RolledBack extends Error {}

async function explain(db: Pick<Queryable, 'query'>, statement: Sql): Promise<number> {
  const [row] = await db.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
    sql`explain (analyze, buffers, format json) ${statement}`,
  )
  const plan = row!['QUERY PLAN'][0]!.Plan
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
}

/** How many buffers a statement reads. It is run and rolled back. */
export async function readBuffers(db: Database, statement: Sql): Promise<number> {
  let buffers = 0
  const read = async (trx: Transaction) => {
    buffers = await explain(trx, statement)
    throw new RolledBack()
  }
  await db.transaction(read).catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error
  })
  return buffers
}

/** How many buffers the statements of a search read, and what came of it. */
export async function searchBuffers<Result>(db: Database, search: (db: Database) => Promise<Result>) {
  let buffers = 0
  const counting = (trx: Transaction): Transaction => ({
    ...trx,
    async query<Row>(statement: Sql) {
      buffers += await explain(trx, statement)
      return trx.query<Row>(statement)
    },
  })
  const searching = <Value>(work: (trx: Transaction) => Promise<Value>) => db.searching((trx) => work(counting(trx)))
  // What is asked besides goes to the database itself, which has private fields.
  const counted = {
    ...{ clock: db.clock, searching, search: (statement: Sql) => searching((trx) => trx.query(statement)) },
    ...{ query: db.query.bind(db), queryPooled: db.queryPooled.bind(db), transaction: db.transaction.bind(db) },
  }
  const result = await search(counted as unknown as Database)
  return { buffers, result }
}

/** How many buffers the statements of a piece of work read. Each runs twice, and the first time is rolled back. */
export async function workBuffers(db: Database, work: (db: Database) => Promise<unknown>): Promise<number> {
  let buffers = 0
  const counted = async (statement: Sql, run: Pick<Database, 'query' | 'queryPooled'>['query']) => {
    buffers += await readBuffers(db, statement)
    return run(statement)
  }
  const counting = {
    clock: db.clock,
    query: (statement: Sql) => counted(statement, (one) => db.query(one)),
    queryPooled: (statement: Sql) => counted(statement, (one) => db.queryPooled(one)),
  }
  await work(counting as unknown as Database)
  return buffers
}
