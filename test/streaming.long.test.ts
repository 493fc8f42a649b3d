import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Database } from '../src/kernel/db/database.ts'
import { type Sql, sql } from '../src/kernel/db/sql.ts'
import { systemClock } from '../src/platform/clock.ts'
import { type App, type Client, startApp } from './harness/app.ts'
import { freshDatabase } from './harness/database.ts'

// Lists are streamed in batches of 2,000: these are longer, and of lengths around the edge of a batch.

/** Contacts with ids that can be told in advance: the number of the contact is the end of its id. */
async function insertContacts({ db }: App, { team }: Client, count: number, firstName = 'Ada') {
  await db.query(sql`
    insert into contacts (team_id, id, email, first_name, created_at, updated_at)
    select ${team}, ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'user' || n || '@example.com', ${firstName}, now(), now()
    from generate_series(1, ${count}::int) n`)
}

const idOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`
/** Newest first. */
const idsFrom = (newest: number, oldest: number) =>
  Array.from({ length: Math.max(0, newest - oldest + 1) }, (_, index) => idOf(newest - index))
const idsIn = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

test.each([1_999, 2_000, 2_001, 4_000, 5_555])('a list of %i items is complete and in order', async (count) => {
  const app = await startApp()
  const acme = await app.as('acme')
  await insertContacts(app, acme, count)

  const { body } = await acme.get('/contacts')

  expect(body.has_more).toBe(false)
  expect(idsIn(body)).toEqual(idsFrom(count, 1))
})

test('a long list is cut on either side of any item', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await insertContacts(app, acme, 5_555)

  for (const n of [1, 500, 2_000, 2_001, 3_555, 5_555]) {
    const after = await acme.get(`/contacts?after=${idOf(n)}`)
    const before = await acme.get(`/contacts?before=${idOf(n)}`)

    expect(idsIn(after.body)).toEqual(idsFrom(n - 1, 1))
    expect(idsIn(before.body)).toEqual(idsFrom(5_555, n + 1))
  }
})

test('a long list of a segment is complete and in order', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: segment } = await acme.post('/segments', { name: 'Everybody' })
  await insertContacts(app, acme, 4_100)
  await app.db.query(sql`
    insert into contact_segments (team_id, contact_id, segment_id, created_at)
    select team_id, id, ${segment.id}, now() from contacts where team_id = ${acme.team}`)

  const { body } = await acme.get(`/segments/${segment.id}/contacts`)

  expect(idsIn(body)).toEqual(idsFrom(4_100, 1))
})

// Each item is so large that the list does not fit into what the sockets buffer: the server has to wait for its reader.
const LARGE = 'x'.repeat(4_000)

test('a client that goes away in the middle stops the reading', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await insertContacts(app, acme, 12_000, LARGE)
  const { request, answer } = await openList(app, acme)

  request.destroy()
  await once(answer, 'close')

  expect(answer.writableFinished).toBe(false)
  await expect.poll(() => isIdle(app)).toBe(true)
  // But for the beats, which go on.
  expect(await statements(app.db, sql`state = 'active' and application_name = 'postwren'`)).toEqual([])
})

test('a batch that fails after its reader has left troubles nobody', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const other = Database.connect(await freshDatabase(), { clock: systemClock })
  onTestFinished(() => other.close())
  await insertContacts(app, acme, 12_000, LARGE)
  const { request, response, answer } = await openList(app, acme)

  // The table is locked while the server waits for its reader; then the reader goes on, and the next batch has to wait.
  await other.transaction(async (trx) => {
    await trx.query(sql`lock table contacts in access exclusive mode`)
    response.resume()
    await expect.poll(() => statements(other, BLOCKED)).toHaveLength(1)
    request.destroy()
    await once(answer, 'close')
    await other.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where ${BLOCKED}`)
    await expect.poll(() => statements(other, BLOCKED)).toEqual([])
  })

  await expect.poll(() => isIdle(app)).toBe(true)
  expect((await acme.get('/contacts?limit=1')).body.data).toHaveLength(1)
})

test('a list that breaks off in the middle cannot be taken for a whole one', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const other = Database.connect(await freshDatabase(), { clock: systemClock })
  onTestFinished(() => other.close())
  await insertContacts(app, acme, 12_000, LARGE)
  const { response, answer } = await openList(app, acme)

  await other.transaction(async (trx) => {
    await trx.query(sql`lock table contacts in access exclusive mode`)
    response.resume()
    await expect.poll(() => statements(other, BLOCKED)).toHaveLength(1)
    // Listened for before there is a reason: it may end before the next line.
    const closed = once(answer, 'close')
    await other.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where ${BLOCKED}`)
    await closed
  })

  await expect.poll(() => response.destroyed).toBe(true)
  expect(response.complete).toBe(false)
})

test('a reader who does not read is let go, and the list stands nowhere any more', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await insertContacts(app, acme, 12_000, LARGE)
  const { answer } = await openList(app, acme)
  expect(app.server.server.timeout).toBe(60_000)

  // It holds no connection to the database while it waits for its reader, and does not wait for ever.
  await expect.poll(() => isIdle(app)).toBe(true)
  answer.socket!.setTimeout(100)
  await once(answer, 'close')

  expect(answer.writableFinished).toBe(false)
})

test('a team reads a few long lists at a time, and then more', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await insertContacts(app, acme, 4_100, LARGE)
  await insertContacts(app, globex, 2_100, LARGE)
  const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
  const ask = async ({ token }: Client) => {
    const request = get(`${address}/contacts`, { agent: false, headers: { authorization: `Bearer ${token}` } })
    onTestFinished(() => void request.destroy())
    request.on('error', () => {})
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.on('error', () => {})
    return { request, response }
  }

  const open = []
  for (let n = 0; n < 10; n++) open.push(await ask(acme))
  expect(open.map(({ response }) => response.statusCode)).toEqual(Array(10).fill(200))
  expect((await ask(acme)).response.statusCode).toBe(429)
  expect((await ask(globex)).response.statusCode).toBe(200)
  open[0]!.request.destroy()

  await expect.poll(async () => (await ask(acme)).response.statusCode).toBe(200)
  await expect.poll(() => isIdle(app)).toBe(true)
})

/** Asks for all contacts on a real port and reads the beginning of the answer, then no more. */
async function openList({ server }: App, { token }: Client) {
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const served = once(server.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const request = get(`${address}/contacts`, { agent: false, headers: { authorization: `Bearer ${token}` } })
  onTestFinished(() => void request.destroy())
  request.on('error', () => {})
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  await once(response, 'readable')
  const [, answer] = await served
  return { request, response, answer }
}

const isIdle = ({ db: { load } }: App) => load.pooled === load.idle && load.waiting === 0 && load.pipelined === 0

const BLOCKED = sql`datname = current_database() and wait_event_type = 'Lock' and query like '%contacts c%'`

/** What the server's other connections to this database are doing. */
const statements = (db: Database, which: Sql) =>
  db.query(sql`
    select query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and ${which}`)
