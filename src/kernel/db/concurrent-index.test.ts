import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/harness/database.ts'
import { runStatement } from './concurrent-index.ts'

const MIGRATION = (table: string) => `-- no transaction
-- Why there is one.
create index concurrently if not exists ${table}_by_reason on ${table} (lower(last_event)) where last_event <> 'sent';
`

async function startSession() {
  const client = new pg.Client(await freshDatabase())
  await client.connect()
  onTestFinished(() => client.end())
  const session = {
    query: async <Row>(query: { text: string; values?: unknown[] } | string) =>
      (await client.query(query as string)).rows as Row[],
    briefly: async (statement: string) => void (await client.query(statement)),
  }
  /** The tables with such an index, and whether it is whole. */
  const found = async () => {
    const { rows } = await client.query(`
      select i.indrelid::regclass::text as table, i.indisvalid as "isValid" from pg_index i
      where pg_get_indexdef(i.indexrelid) like '%lower(last_event)%' order by 1`)
    return rows as { table: string; isValid: boolean }[]
  }
  onTestFinished(() => client.query('drop index if exists emails_by_reason').then(() => {}))
  return { client, session, found }
}

test('each partition gets it, and the whole is valid then', async () => {
  const { session, found } = await startSession()

  await runStatement(session, MIGRATION('emails'))
  await runStatement(session, MIGRATION('emails'))

  const indexes = await found()
  expect(indexes.map(({ table }) => table)).toEqual(expect.arrayContaining(['emails', 'emails_before', 'emails_later']))
  expect(indexes.filter(({ isValid }) => !isValid)).toEqual([])
})

test('a run that was cut off is carried on: what is invalid is made anew, and new partitions have it', async () => {
  const { client, session, found } = await startSession()
  const index = `on %T (lower(last_event)) where last_event <> 'sent'`
  await client.query(`create index emails_by_reason ${index.replace('%T', 'only emails')}`)
  await client.query(`create index emails_before_by_reason ${index.replace('%T', 'emails_before')}`)
  // As PostgreSQL leaves it when whoever makes it is killed.
  await client.query(`update pg_index set indisvalid = false where indexrelid = 'emails_before_by_reason'::regclass`)

  await runStatement(session, MIGRATION('emails'))

  const indexes = await found()
  expect(indexes.length).toBeGreaterThan(3)
  expect(indexes.filter(({ isValid }) => !isValid)).toEqual([])
})

test('a table without partitions gets it, whatever was left of it', async () => {
  const { client, session } = await startSession()
  const text = '-- no transaction\ncreate index concurrently if not exists topics_by_age on topics (created_at)'
  onTestFinished(() => client.query('drop index if exists topics_by_age').then(() => {}))
  await client.query('create index topics_by_age on topics (created_at)')
  await client.query(`update pg_index set indisvalid = false where indexrelid = 'topics_by_age'::regclass`)

  await runStatement(session, text)

  const { rows } = await client.query(`select indisvalid from pg_index where indexrelid = 'topics_by_age'::regclass`)
  expect(rows).toEqual([{ indisvalid: true }])
})
