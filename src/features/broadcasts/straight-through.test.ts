import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import {
  broadcastTo,
  copiesOf,
  makeManyContacts,
  makeSegment,
  startBroadcasting,
} from '../../../test/harness/broadcasts.ts'
import { readEmail, sendEmail } from '../../../test/harness/emails.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { newId } from '../../../test/harness/ids.ts'
import { meet } from '../../../test/harness/meet.ts'
import { newEmail } from '../../../test/harness/new-email.ts'
import { DELIVERED } from '../../../test/harness/transport.ts'
import { ConnectionLost } from '../../../test/harness/unlucky-database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { loadEmail } from '../emails/delivery/ledger/load.ts'
import { loadedBroadcast } from '../emails/delivery/message/broadcasts.ts'
import { Contents } from '../emails/delivery/message/contents.ts'
import type { DeliveryWorker } from '../emails/delivery/worker.ts'
import { expandBatch } from './expand.ts'

/** A process that makes copies and delivers, whose worker knows that nothing waits. */
async function start() {
  const { app, acme, world, written } = await startBroadcasting()
  await app.delivery.start()
  const slots = () => app.services.sending.acceptance.acceptCopies(NEVER, async ({ most }) => most)
  await app.until(async () => (await slots()) !== null)
  return { app, acme, world, written }
}

const NEVER = new AbortController().signal

const ledgerOf = (app: App, team: string) =>
  app.db.query<{ holder: number | null; state: string; claims: number }>(sql`
    select holder, state, claims from deliveries where team_id = ${team}`)

test('copies go on from memory as they would be loaded, and are claimed by nobody', async () => {
  const { app, acme, world } = await start()
  const { body: topic } = await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })
  const segment = await makeSegment(acme, [
    { email: 'ada@example.com', first_name: 'Ada "A" Grüß' },
    { email: 'bob@example.com' },
  ])
  const seen = new Map<string, Awaited<ReturnType<typeof loadEmail>>>()
  world.answer((recipient, { email }) => {
    seen.set(recipient, email)
    return DELIVERED
  })

  const id = await broadcastTo(acme, segment, {
    html: '<p>Dear {{{FIRST_NAME|friend}}}, <a href="{{{RESEND_UNSUBSCRIBE_URL}}}">no more</a></p>',
    subject: 'For {{{FIRST_NAME|you}}}',
    topic_id: topic.id.toUpperCase(),
    reply_to: 'help@acme.dev',
    preview_text: 'Preview',
  })
  await app.runDueJobs()
  await app.until(async () => (await ledgerOf(app, acme.team)).every(({ state }) => state === 'delivered'))

  const contents = new Contents(app.db)
  for (const copy of await copiesOf(app, acme, id)) {
    const { sizes, content, ...email } = seen.get(copy.to)!
    const { sizes: loadedSizes, ...rest } = (await loadEmail(app.db, acme.team, copy.id))!
    const { id: _id, ...loadedContent } = (await contents.load({ ...rest, sizes: loadedSizes })) as { id?: string }
    expect(content).toBeDefined()
    expect(email).toEqual(rest)
    expect(sizes).toEqual({
      ...loadedSizes,
      head: expect.closeTo(loadedSizes.head, -2),
      variables: expect.closeTo(loadedSizes.variables, -1),
    })
    expect(await contents.load(seen.get(copy.to)!)).toEqual(loadedContent)
  }
  expect(seen.size).toBe(2)
  expect((await ledgerOf(app, acme.team)).map(({ claims, holder }) => [claims, holder])).toEqual([
    [1, null],
    [1, null],
  ])
})

test('a broadcast is expanded as slots get free, leaves others to what one person waits for, and is never claimed', async () => {
  const { app, acme, world, written } = await start()
  const segment = await makeManyContacts(app, acme, 750)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let copies = 0
  world.answer(async (_recipient, { email }) => {
    if (!email.broadcast) return DELIVERED
    copies++
    await released
    return DELIVERED
  })

  await broadcastTo(acme, segment)
  const expanding = app.runDueJobs()
  await app.until(() => copies > 0)
  const reset = await sendEmail(acme, { to: 'reset@example.com' })
  await app.until(async () => (await readEmail(acme, reset)).last_event === 'delivered')
  const ledger = await ledgerOf(app, acme.team)
  release()
  await expanding
  await app.until(() => written().length === 751)

  expect(ledger.length).toBeLessThanOrEqual(701)
  expect(ledger.filter(({ holder }) => holder === null)).toHaveLength(1)
  expect((await ledgerOf(app, acme.team)).every(({ claims }) => claims === 1)).toBe(true)
})

test('copies whose commit nobody heard of are found and delivered, once', async () => {
  const { app, acme, written } = await start()
  const segment = await makeSegment(acme, [{ email: 'ada@example.com' }, { email: 'bob@example.com' }])
  await acme.post('/suppressions', { email: 'bob@example.com' })
  const id = await broadcastTo(acme, segment)

  const expanding = app.services.sending.acceptance.acceptCopies(NEVER, async ({ reserve }) => {
    await app.db.transaction((trx) => expandBatch(trx, acme.team, id, { now: app.clock.now(), reserve }))
    throw new ConnectionLost('The connection is lost.')
  })
  await expect(expanding).rejects.toThrow('The connection is lost.')
  const held = await ledgerOf(app, acme.team)
  await app.until(async () => (await ledgerOf(app, acme.team)).every(({ state }) => state === 'delivered'))
  await app.runDueJobs()

  expect(held).toEqual([{ state: 'waiting', holder: app.db.presence.node, claims: 1 }])
  expect(written()).toEqual(['ada@example.com'])
})

test('a batch that is rolled back leaves nothing in flight', async () => {
  const { app, acme, written } = await start()
  const segment = await makeSegment(acme, [{ email: 'ada@example.com' }])
  const id = await broadcastTo(acme, segment)

  const expanding = app.services.sending.acceptance.acceptCopies(NEVER, ({ reserve }) =>
    app.db.transaction(async (trx) => {
      await expandBatch(trx, acme.team, id, { now: app.clock.now(), reserve })
      await trx.query(sql`select 1 / 0`)
    }),
  )
  await expect(expanding).rejects.toThrow()
  expect(await ledgerOf(app, acme.team)).toEqual([])
  await app.runDueJobs()
  await app.until(() => written().length === 1)
  await app.delivery.stop(5_000)

  expect(written()).toEqual(['ada@example.com'])
})

test('copies with much to say leave memory for single emails', async () => {
  const { app, acme } = await start()
  const { straightThrough } = app.delivery as DeliveryWorker
  const long = 'x'.repeat(60 * 1024)
  const copies = Array.from({ length: 300 }, () => ({ ...newEmail(acme.team), variables: { LONG: long } }))
  const broadcast = loadedBroadcast(acme.team, newId(), { html: '{{{LONG}}}', text: null, previewText: null })

  const handOver = straightThrough.reserveCopies(copies, broadcast)!
  const single = straightThrough.reserve([newEmail(acme.team, { html: long })])
  const taken = copies.filter((copy) => handOver.has(copy))
  handOver.failed(new NotSent())
  single?.failed(new NotSent())

  expect(taken.length).toBeGreaterThan(100)
  expect(taken.length).toBeLessThan(copies.length)
  expect(single).not.toBe(null)
})

/** As PostgreSQL refuses a statement. */
class NotSent extends Error {
  readonly code = '22000'
}

test('a worker that is stopped while copies are made for it gives them back', async () => {
  const { app, acme, world } = await start()
  const backend = await openBackend()
  const segment = await makeSegment(acme, [{ email: 'ada@example.com' }])
  world.answer(async (_recipient, { fence }) =>
    (await fence.mayBegin()) ? DELIVERED : { kind: 'postponed', seconds: 0 },
  )
  const closed = new Promise<void>((resolve) => {
    world.transport.close = async () => resolve()
  })
  await broadcastTo(acme, segment)

  // Stands in the way of whoever makes copies, and of nobody who claims.
  await backend.hold('lock table emails in share mode')
  const expanding = app.runDueJobs()
  await backend.waiters()
  const stopped = app.delivery.stop(30_000)
  await closed
  await backend.release()
  await Promise.all([expanding, stopped])

  expect(await ledgerOf(app, acme.team)).toEqual([{ state: 'waiting', holder: null, claims: 1 }])
})

test('of two processes each makes the copies that it has slots for, and none is left to be claimed', async () => {
  const { app, acme, world, written } = await startBroadcasting()
  const other = await startApp({}, { transport: world.transport })
  const gate = makeGate()
  let [straight, loaded] = [0, 0]
  world.answer(async (_recipient, { email }) => {
    if (email.content) straight++
    else loaded++
    await gate.opened
    return DELIVERED
  })
  await Promise.all([app.startWorkers(), other.startWorkers()])
  await meet([app, other], ({ works }) => works.includes('jobs'))
  const segment = await makeManyContacts(app, acme, 1_000)

  await broadcastTo(acme, segment)
  await other.until(() => straight + loaded === 1_000)
  const ledger = await ledgerOf(app, acme.team)
  gate.open()
  await other.until(() => written().length === 1_000)

  const heldBy = (node: number) => ledger.filter(({ holder }) => holder === node).length
  expect([straight, loaded]).toEqual([1_000, 0])
  expect(heldBy(app.db.presence.node) + heldBy(other.db.presence.node)).toBe(1_000)
  expect(heldBy(app.db.presence.node)).toBeGreaterThan(0)
  expect(heldBy(other.db.presence.node)).toBeGreaterThan(0)
  expect(new Set(written()).size).toBe(1_000)
})
