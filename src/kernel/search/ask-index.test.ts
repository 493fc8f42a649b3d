import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { everyOf, quoted, wordOf } from './lexemes.ts'

/** More than are looked at along the list before the index is asked. */
const EMAILS = 1_100

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ ...(await freshDatabase()), application_name: 'test' })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

// PostgreSQL moves what was written from the pending list of the index into the index itself, lexeme by lexeme: for a while a document has some of its
// lexemes there and not yet others. By the index alone, what a search leaves out would be found then.
test('what a search leaves out stays out while the index takes in its pending list', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const scope = { team: acme.team, kind: 'email' } as const
  const [watcher, cleaner] = [await connect(), await connect()]
  await watcher.query('alter table email_documents_later set (autovacuum_enabled = off)')
  onTestFinished(async () => {
    await watcher.query('alter table email_documents_later reset (autovacuum_enabled)')
  })
  await watcher.query(`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select '${acme.team}', uuidv7(), 'm' || n, 'shop@acme.test', jsonb_build_array('person' || n || '@example.com'), 'mail ' || n, 'delivered', now()
    from generate_series(1, ${EMAILS}) n`)
  expect((await acme.get('/emails?q=mail&limit=3')).body.data).toHaveLength(3)

  // As slow as it can be.
  await cleaner.query('set vacuum_cost_delay = 100')
  const { rows } = await cleaner.query<{ pid: number }>('select pg_backend_pid() as pid')
  const cleaning = cleaner.query('vacuum (parallel 0) email_documents').catch((error: Error) => error)
  await watcher.query('set enable_seqscan = off')
  const foundByIndexAlone = async () => {
    const found = await watcher.query(
      `
      select from email_documents d where d.words @@ $1 and d.words @@ $2`,
      [quoted(everyOf(scope)), `!${quoted(wordOf(scope, 'subject', 'mail'))}`],
    )
    return found.rowCount
  }
  await vi.waitFor(async () => expect(await foundByIndexAlone()).toBeGreaterThan(0), { interval: 5, timeout: 45_000 })

  for (const q of ['-mail', 'example -mail', '-mail -nothing', 'to:person7 -mail'])
    expect([q, (await acme.get(`/emails?q=${encodeURIComponent(q)}`)).body.data]).toEqual([q, []])
  expect(await foundByIndexAlone()).toBeGreaterThan(0)
  await watcher.query('select pg_cancel_backend($1)', [rows[0]!.pid])
  expect(await cleaning).toBeInstanceOf(Error)
}, 60_000)
