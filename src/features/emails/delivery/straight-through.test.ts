import { expect, test } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import { openBackend } from '../../../../test/harness/backends.ts'
import { emptyLedger, readEmail, SIMPLE, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { newEmail } from '../../../../test/harness/new-email.ts'
import { limit, suspend } from '../../../../test/harness/operators.ts'
import { DELIVERED, scriptedTransport } from '../../../../test/harness/transport.ts'
import { ConnectionLost } from '../../../../test/harness/unlucky-database.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { TeamStates } from '../../limits/team-states.ts'
import { Acceptance } from './acceptance/accept.ts'
import { loadEmail } from './ledger/load.ts'
import { Contents } from './message/contents.ts'
import { MAX_EVENT_HEAD_BYTES } from './message/weight.ts'
import type { DeliveryWorker } from './worker.ts'

/** A process that accepts and delivers, whose worker knows that nothing waits; and an outside world that tells which emails were loaded. */
async function start() {
  const world = scriptedTransport()
  const straight: string[] = []
  const loaded: string[] = []
  world.answer((_recipient, { email }) => {
    ;(email.content ? straight : loaded).push(email.id)
    return DELIVERED
  })
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  await startIdle(app)
  return { app, acme, world, straight, loaded }
}

/** Resolves when a claim has found less than it could have taken. */
async function startIdle(app: App) {
  const looked = new Promise<void>((resolve) => app.db.signals.observe(resolve))
  await app.delivery.start()
  await looked
  await app.until(() => canReserve(app))
}

const canReserve = (app: App) => {
  const handOver = handOversOf(app).reserve([newEmail('00000000-0000-7000-8000-000000000000')])
  handOver?.failed(new NotSent())
  return handOver !== null
}

/** As PostgreSQL refuses a statement. */
class NotSent extends Error {
  readonly code = '22000'
}

const handOversOf = (app: App) => (app.delivery as DeliveryWorker).straightThrough

const ledgerOf = (app: App, team: string) =>
  app.db.query<{ holder: number | null; state: string; claims: number; isAside: boolean }>(sql`
    select holder, state, claims, suspended_at is not null as "isAside" from deliveries where team_id = ${team}`)

const isDelivered = async (client: Parameters<typeof readEmail>[0], id: string) =>
  (await readEmail(client, id)).last_event === 'delivered'

const addresses = (count: number, name = 'user') => Array.from({ length: count }, (_, n) => `${name}${n}@example.com`)

test('an email goes on from memory as it would be loaded, and is claimed by nobody else', async () => {
  const { app, acme, world } = await start()
  const { body: topic } = await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })
  const seen: unknown[] = []
  world.answer((_recipient, { email }) => {
    seen.push(email)
    return DELIVERED
  })

  const id = await sendEmail(acme, {
    to: ['Ada <ada@example.com>', 'bob@example.com'],
    cc: 'cy@example.com',
    bcc: 'dan@example.com',
    reply_to: 'help@acme.dev',
    subject: 'Grüße 👋',
    html: '<p>Grüße</p>',
    text: 'Grüße',
    headers: { 'X-One': '1' },
    tags: [{ name: 'kind', value: 'test' }],
    topic_id: topic.id.toUpperCase(),
  })
  await app.until(() => isDelivered(acme, id))

  const loaded = (await loadEmail(app.db, acme.team, id))!
  const { id: _id, ...content } = (await new Contents(app.db).load(loaded)) as { id?: string }
  const { content: own, sizes, ...email } = seen[0] as typeof loaded
  const { sizes: _sizes, broadcastId: _broadcastId, ...rest } = loaded
  expect(email).toMatchObject(rest)
  expect(sizes).toEqual({ ...loaded.sizes, head: expect.closeTo(loaded.sizes.head, -2) })
  expect(own).toEqual(content)
  expect((await readEmail(acme, id)).timeline).toEqual(['sent', 'delivered', 'delivered'])
  expect((await ledgerOf(app, acme.team)).map(({ claims, holder }) => [claims, holder])).toEqual(
    Array(4).fill([1, null]),
  )
})

test('who is suppressed, or not subscribed to the topic, is not written to', async () => {
  const { app, acme, world } = await start()
  await acme.post('/suppressions', { email: 'Gone@example.com' })
  const { body: topic } = await acme.post('/topics', { name: 'News', default_subscription: 'opt_out' })

  const suppressed = await sendEmail(acme, { to: ['gone@example.com', 'ada@example.com'] })
  const unwanted = await sendEmail(acme, { topic_id: topic.id.toUpperCase() })
  await app.until(async () => (await readEmail(acme, unwanted)).last_event === 'failed')
  await app.until(() => isDelivered(acme, suppressed))

  expect((await readEmail(acme, suppressed)).states).toEqual({
    'gone@example.com': 'suppressed',
    'ada@example.com': 'delivered',
  })
  expect(world.sent.map(({ recipient }) => recipient)).toEqual(['ada@example.com'])
})

test('mail of a suspended team is set aside', async () => {
  const { app, acme, world } = await start()
  await suspend(app, acme)

  await app.services.sending.acceptance.accept({
    emails: [newEmail(acme.team, { createdAt: app.clock.now() })],
    idempotency: null,
  })
  await app.until(async () => (await ledgerOf(app, acme.team))[0]!.isAside)

  expect(await ledgerOf(app, acme.team)).toMatchObject([{ state: 'waiting', holder: null }])
  expect(world.sent).toEqual([])
})

test('what is too large, too wide, for later, or behind such a one, is claimed as always', async () => {
  const { app, acme, straight, loaded } = await start()
  const LONG = 'x '.repeat(MAX_EVENT_HEAD_BYTES / 6)
  const long = await sendEmail(acme, { html: 'x'.repeat(65 * 1024) })
  const wide = await sendEmail(acme, { headers: { 'X-1': LONG, 'X-2': LONG, 'X-3': LONG } })
  const attached = await sendEmail(acme, { attachments: [{ filename: 'a.txt', content: 'aGk=' }] })
  const { body } = await acme.post('/emails/batch', [
    { ...SIMPLE, to: addresses(50, 'a'), cc: addresses(50, 'b'), bcc: addresses(1, 'c') },
    SIMPLE,
  ])
  const batch: string[] = body.data.map(({ id }: { id: string }) => id)
  await app.until(() => new Set(loaded).size === 5)

  expect(straight).toEqual([])
  expect([...new Set(loaded)].sort()).toEqual([long, wide, attached, ...batch].sort())
  // Others go straight through again as soon as a claim has found what was passed over.
  while (straight.length === 0) {
    const id = await sendEmail(acme)
    await app.until(() => isDelivered(acme, id))
  }
})

test('mail of a team with a quota goes straight through as far as the quota allows', async () => {
  const { app, acme, straight, loaded } = await start()
  await limit(app, acme, { emails_per_day: 2 })

  const replies = await Promise.all(Array.from({ length: 4 }, () => acme.post('/emails', SIMPLE)))
  const ids = replies.flatMap(({ body }) => body.id ?? [])
  await app.until(async () => (await Promise.all(ids.map((id) => isDelivered(acme, id)))).every(Boolean))

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429])
  expect([straight.sort(), loaded]).toEqual([ids.sort(), []])
})

test('a taken idempotency key leaves nothing in flight', async () => {
  const { app, acme, world, straight } = await start()
  const send = () => acme.post('/emails', SIMPLE, { 'idempotency-key': 'one' })
  const [first, second] = await Promise.all([send(), send()])
  const again = await send()
  await app.until(() => isDelivered(acme, again.body.id))
  await app.delivery.stop(5_000)

  expect([first, second, again].some(({ status }) => status === 200)).toBe(true)
  expect(straight).toEqual([again.body.id])
  expect(world.sent).toHaveLength(1)
})

test('rows of an acceptance whose answer got lost are found and delivered, once', async () => {
  const { app, acme, world, straight, loaded } = await start()
  const queryPooled: Database['queryPooled'] = async (statement) => {
    await app.db.queryPooled(statement)
    throw new ConnectionLost('The connection is lost.')
  }
  const acceptance = new Acceptance(Object.assign(app.db.withClock(app.clock), { queryPooled }), new TeamStates(app.db))
  acceptance.deliverThrough(handOversOf(app))
  const email = newEmail(acme.team, { createdAt: app.clock.now() })

  const accepting = acceptance.accept({ emails: [email], idempotency: null })
  await expect(accepting).rejects.toThrow('The connection is lost.')
  const [held] = await ledgerOf(app, acme.team)
  // Nothing goes straight through while lost claims are looked for.
  const next = await sendEmail(acme)
  await app.until(async () => (await isDelivered(acme, email.id)) && (await isDelivered(acme, next)))

  expect(held).toMatchObject({ holder: app.db.presence.node, claims: 1 })
  expect(straight).toEqual([])
  expect(loaded.sort()).toEqual([email.id, next].sort())
  expect(world.sent).toHaveLength(2)
})

test('a worker that is stopped while an email is accepted for it gives it back', async () => {
  const { app, acme, world } = await start()
  const backend = await openBackend()
  world.answer(async (_recipient, { fence }) =>
    (await fence.mayBegin()) ? DELIVERED : { kind: 'postponed', seconds: 0 },
  )

  const closed = new Promise<void>((resolve) => {
    world.transport.close = async () => resolve()
  })

  // Stands in the way of acceptances, and of nobody who claims.
  await backend.hold('lock table email_bodies in share mode')
  const accepting = sendEmail(acme)
  await backend.waiters()
  let isStopped = false
  const stopped = app.delivery.stop(30_000).then(() => {
    isStopped = true
  })
  await closed
  await new Promise(setImmediate)
  const wasStopped = isStopped
  await backend.release()
  const id = await accepting
  await stopped

  expect(wasStopped).toBe(false)
  expect(await ledgerOf(app, acme.team)).toMatchObject([{ state: 'waiting', holder: null, claims: 1 }])
  expect((await readEmail(acme, id)).timeline).toEqual(['sent'])
})

test('each of two processes sends what it accepts, once', async () => {
  const { app, acme, world, straight, loaded } = await start()
  const other = await startApp({}, { transport: world.transport })
  await startIdle(other)
  const theirs = await other.as('globex')

  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => sendEmail(n % 2 ? acme : theirs)))
  await app.until(() => world.sent.length >= 40)
  await Promise.all([app.delivery.stop(5_000), other.delivery.stop(5_000)])

  expect([...straight, ...loaded].sort()).toEqual([...ids].sort())
  expect(straight.length).toBeGreaterThan(0)
  expect((await ledgerOf(app, acme.team)).every(({ state }) => state === 'delivered')).toBe(true)
})
