import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { startAcme } from '../../../test/harness/emails.ts'
import { explain } from '../http/refusal.ts'
import type { Database } from './database.ts'
import { TEAM_LOCK_MS } from './share.ts'
import { sql } from './sql.ts'
import { MAX_QUEUE_MS, SLOW_PER_TEAM } from './team-shares.ts'

const many = (count: number, ask: (n: number) => Promise<{ status: number }>) =>
  Array.from({ length: count }, (_, n) => ask(n))

const statusesOf = async (asked: readonly Promise<{ status: number }>[]) =>
  new Set((await Promise.all(asked)).map(({ status }) => status))

/** Who stood in line for too long, or waited too long for a lock. */
const LEFT: readonly number[] = [429, 503]

/** A busy machine may take longer for a test than anybody waits: they are told so, and that is not what the test is about. */
async function statusesInTime(asked: readonly Promise<{ status: number }>[], begin: number) {
  const statuses = await statusesOf(asked)
  const mayHaveLeft = performance.now() - begin > Math.min(MAX_QUEUE_MS, TEAM_LOCK_MS)
  return [...statuses].filter((status) => !(mayHaveLeft && LEFT.includes(status))).sort()
}

const email = { from: 'shop@example.com', to: 'ada@example.com', subject: 'Hi', text: 'Hi' }

test('a team whose lists and metrics all stand still holds its share of the connections, and others go on', async () => {
  const { app, acme } = await startAcme()
  const globex = await app.as('globex')
  const backend = await openBackend()
  await backend.hold('lock table contacts, metric_counts in access exclusive mode')
  const begin = performance.now()

  const asked = [
    ...many(20, () => acme.get('/contacts')),
    ...many(20, () => acme.get('/emails/metrics?start_date=2026-01-01T00:00:00Z')),
    ...many(20, (n) => acme.post('/contacts', { email: `user${n}@example.com` })),
  ]
  await backend.waiters(3)
  expect(app.db.shares.connections.taken).toBe(3)
  const { pooled, idle } = app.db.load
  expect(pooled - idle).toBe(3)

  // Another team is accepted, listed and searched; the workers have what they need.
  expect((await sendAs(globex)).status).toBe(200)
  expect((await globex.get('/segments')).status).toBe(200)
  expect((await globex.get('/emails?q=nothing')).status).toBe(200)
  await app.deliverDue()
  await app.runDueJobs()
  expect(await backend.waiters(3)).toHaveLength(3)
  await backend.release()
  expect(await statusesInTime(asked, begin)).toEqual([200, 201])
})

const sendAs = (client: Client) => client.post('/emails', email)

test('what takes long has fewer connections than the rest', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const backend = await openBackend()
  await backend.hold('lock table contacts in access exclusive mode')
  const begin = performance.now()

  const asked = many(10, () => acme.get('/contacts'))
  await backend.waiters(SLOW_PER_TEAM)
  // A transaction of the same team does not wait behind its lists.
  expect((await acme.post('/topics', { name: 'News' })).status).toBe(201)

  expect(await backend.waiters(SLOW_PER_TEAM)).toHaveLength(SLOW_PER_TEAM)
  await backend.release()
  expect(await statusesInTime(asked, begin)).toEqual([200])
})

test('a team that asks for far too much at once is told so, and nobody else is', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const backend = await openBackend()
  await backend.hold('lock table contacts in access exclusive mode')
  const begin = performance.now()

  const asked = many(520, () => acme.get('/contacts'))
  const refused = await Promise.race(asked.slice(-10))
  expect(refused).toMatchObject({ status: 429, body: { name: 'rate_limit_exceeded' } })
  expect((await globex.get('/segments')).status).toBe(200)

  await backend.release()
  expect([200, 429]).toEqual(expect.arrayContaining(await statusesInTime(asked, begin)))
})

test('a statement of a team has a limit on its time, which ends with its transaction', async () => {
  const { db } = await startApp()
  const limitOf = (rows: { statement_timeout: string }[]) => rows[0]!.statement_timeout
  const show = sql`select current_setting('statement_timeout') as statement_timeout`
  const before = limitOf(await db.queryPooled(show))

  expect(limitOf(await (await db.forTeam('acme')).queryPooled(show))).toBe('30s')
  expect(limitOf(await db.queryPooled(show))).toBe(before)
  const tooLong = db.transaction((trx) => trx.query(sql`select pg_sleep(60)`), { statementMs: 1, lockMs: 1 })
  const problem = explain(await tooLong.catch((error) => error), 0)

  expect(problem).toMatchObject({ status: 503, kind: 'service_unavailable' })
  expect(problem!.message).toMatch(/^Query timed out;/)
})

test('a request that waits for a lock which nobody lets go of is told to come again, and has changed nothing', async () => {
  const { app, acme } = await startAcme()
  const { body: topic } = await acme.post('/topics', { name: 'News' })
  const limitOf = async (db: Database) => {
    const rows = await db.queryPooled<{ limit: string }>(sql`select current_setting('lock_timeout') as limit`)
    return rows[0]!.limit
  }
  // Accepting and receiving mail, and whatever else has no share of a team.
  expect(await limitOf(app.db)).toBe('20s')
  expect(await limitOf(await app.db.forTeam(acme.team))).toBe('10s')
  const backend = await openBackend()
  await backend.hold('lock table topics in access exclusive mode')

  const waited = app.db.transaction((trx) => trx.query(sql`delete from topics where id = ${topic.id}`), {
    statementMs: 60_000,
    lockMs: 1,
  })
  const problem = explain(await waited.catch((error) => error), 0)
  await backend.release()

  expect(problem).toMatchObject({ status: 503, kind: 'service_unavailable' })
  expect((await acme.get(`/topics/${topic.id}`)).status).toBe(200)
})
