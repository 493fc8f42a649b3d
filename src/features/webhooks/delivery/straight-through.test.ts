import { expect, test, vi } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { openBackend } from '../../../../test/harness/backends.ts'
import { makeGate } from '../../../../test/harness/gate.ts'
import { addWebhook, attemptsOf, happen, startWithReceiver, statuses } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import { fanOut } from './fan-out.ts'
import { releaseUnknown, WEBHOOKS_CHANNEL } from './queries.ts'

type App = Awaited<ReturnType<typeof startApp>>

/** In the order of the events, whether each delivery is held, in a batch or by itself. */
const heldBy = async ({ db }: App): Promise<boolean[]> => {
  const rows = await db.query<{ isHeld: boolean }>(sql`
    select holder is not null as "isHeld" from (
      select event_id, holder from webhook_deliveries union all select unnest(event_ids), holder from webhook_batches) d
    order by event_id`)
  return rows.map(({ isHeld }) => isHeld)
}

/** How many rows there are: batches, deliveries, attempts apart from them. */
const written = async ({ db }: App): Promise<number[]> => {
  const [row] = await db.query<{ rows: number[] }>(sql`
    select array[(select count(*) from webhook_batches), (select count(*) from webhook_deliveries),
      (select count(*) from webhook_attempts)]::int[] as rows`)
  return row!.rows
}

test('an event is held at once, posted without a claim, and written down with its attempt in one row', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const gate = makeGate()
  receiver.answer(async (response) => {
    await gate.opened
    response.end('at last')
  })
  const [first, second] = (await happen(app, acme, 2)) as [string, string]
  let claimed = 0
  const queryPooled = app.db.queryPooled.bind(app.db)
  vi.spyOn(app.db, 'queryPooled').mockImplementation(async (statement) => {
    const rows = await queryPooled(statement)
    if (statement.toQuery().text.includes('update webhook_deliveries d set holder')) claimed += rows.length
    return rows as never
  })

  const delivered = app.deliverWebhooks()
  await receiver.reached(2)
  const meanwhile = { rows: await written(app), statuses: await statuses(acme, id) }
  gate.open()
  await delivered

  expect(meanwhile).toEqual({ rows: [1, 0, 0], statuses: { [first]: 'attempting', [second]: 'attempting' } })
  expect(claimed).toBe(0)
  expect(await written(app)).toEqual([0, 2, 0])
  expect(await statuses(acme, id)).toEqual({ [first]: 'success', [second]: 'success' })
  expect(await attemptsOf(acme, id, first)).toMatchObject([{ http_status_code: 200, response: 'at last' }])
})

test('an event whose first attempt fails goes on in the ledger', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.answer((response, { event }) => {
    response.statusCode = event.data.number === 1 && receiver.received.length <= 2 ? 500 : 200
    response.end()
  })
  const events = await happen(app, acme, 2)
  await app.deliverWebhooks()
  const before = { rows: await written(app), statuses: Object.values(await statuses(acme, id)).sort() }

  app.clock.advance(60)
  await app.deliverWebhooks()

  expect(before).toEqual({ rows: [0, 2, 1], statuses: ['pending', 'success'] })
  expect(Object.values(await statuses(acme, id))).toEqual(['success', 'success'])
  const attempts = await Promise.all(events.map((event) => attemptsOf(acme, id, event)))
  expect(attempts.map((own) => own.map(({ http_status_code }) => http_status_code)).sort()).toEqual([[200], [200, 500]])
})

test('a replay of an event that is under way is made after it', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const gate = makeGate()
  receiver.answer(async (response) => {
    await gate.opened
    response.end()
  })
  const [event] = (await happen(app, acme)) as [string]
  const delivered = app.deliverWebhooks()
  await receiver.reached(1)

  const { status } = await acme.post(`/webhooks/${id}/events/${event}/replay`)
  const meanwhile = await statuses(acme, id)
  gate.open()
  await delivered
  await app.deliverWebhooks()

  expect([status, meanwhile]).toEqual([200, { [event]: 'attempting' }])
  expect(receiver.received.map((post) => post.id)).toEqual([event, event])
  expect(await attemptsOf(acme, id, event)).toHaveLength(2)
  expect(await statuses(acme, id)).toEqual({ [event]: 'success' })
})

test('an attempt is kept once when the answer to writing it down is lost', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const events = await happen(app, acme, 2)
  const queryPooled = app.db.queryPooled.bind(app.db)
  let isLost = false
  vi.spyOn(app.db, 'queryPooled').mockImplementation(async (statement) => {
    const rows = await queryPooled(statement)
    if (isLost || !statement.toQuery().text.includes('insert into webhook_deliveries as d')) return rows as never
    isLost = true
    throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })
  })

  await app.deliverWebhooks()

  expect(isLost).toBe(true)
  expect(await written(app)).toEqual([0, 2, 0])
  for (const event of events) expect(await attemptsOf(acme, id, event)).toHaveLength(1)
  expect(receiver.received).toHaveLength(2)
})

test('of what a process has not settled when it dies, another one takes over no more than that', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const gate = makeGate()
  receiver.answer(async (response, { event }) => {
    if (event.data.number === 2 && receiver.received.length <= 2) await gate.opened
    response.end()
  })
  await happen(app, acme, 2)
  const delivered = app.deliverWebhooks()
  await app.until(async () => (await written(app))[1] === 1)
  const other = await startApp()
  await app.db.presence.close()

  other.clock.advance(1)
  await other.webhooks.start()
  await app.until(async () => Object.values(await statuses(acme, id)).every((status) => status === 'success'))
  gate.open()
  await delivered

  expect(receiver.received).toHaveLength(3)
  expect((await written(app)).slice(0, 2)).toEqual([0, 2])
})

test('what a process holds and does not know of goes back to the ledger, and the rest stays its own', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const { node } = app.db.presence
  const events = (await happen(app, acme, 3)) as [string, string, string]
  const claim = { node, slots: [], otherSlots: 5, except: [] }
  const { claimed } = await fanOut(app.db, app.clock.now(), { claim })

  await releaseUnknown(app.db, node, claimed.slice(0, 1))
  const some = { rows: await written(app), statuses: await statuses(acme, id) }
  await releaseUnknown(app.db, node, [])

  const [first, second, third] = events
  expect(some).toEqual({
    rows: [1, 2, 0],
    statuses: { [first]: 'attempting', [second]: 'pending', [third]: 'pending' },
  })
  expect(await written(app)).toEqual([0, 3, 0])
  app.clock.advance(1)
  await app.deliverWebhooks()
  expect(receiver.received.map((post) => post.id).sort()).toEqual(events)
})

test('what an endpoint has no free slots for waits in the ledger, and nothing overtakes it', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  const claim = { node: app.db.presence.node, slots: [], otherSlots: 3, except: [] }
  const ids = await happen(app, acme, 5)

  const { claimed, overflowing } = await fanOut(app.db, app.clock.now(), { claim })

  expect(claimed.map(({ eventId }) => `msg_${eventId}`)).toEqual(ids.slice(0, 3))
  expect(overflowing).toHaveLength(1)
  expect(await heldBy(app)).toEqual([true, true, true, false, false])
})

test('events wait for a fast endpoint as long as no other webhook of the team waits for them', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  await happen(app, acme, 3)
  const now = new Date(app.clock.now().getTime() + 60_000)
  const backpressure = {
    limits: [{ team: acme.team, events: 0 }],
    otherLimit: 5,
    since: new Date(now.getTime() - 5_000),
  }
  const take = async () => (await fanOut(app.db, now, { backpressure })).events

  const alone = await take()
  await addWebhook(acme, `${receiver.url}/other`, ['topic.updated'])

  expect([alone, await take()]).toEqual([0, 3])
})

test('two processes that each believe to be alone take every event once', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const other = await startApp()
  await addWebhook(acme, receiver.url)
  await happen(app, acme, 200)
  const take = async ({ db, clock }: App) => {
    const claim = { node: db.presence.node, slots: [], otherSlots: 1_000, except: [] }
    return (await fanOut(db, clock.now(), { claim, isAlone: true })).claimed.map(({ eventId }) => eventId)
  }

  const taken = await Promise.all([take(app), take(other), take(app), take(other)])

  expect(new Set(taken.flat()).size).toBe(200)
  expect(taken.flat()).toHaveLength(200)
})

test('deliveries of suspended teams and of webhooks without free slots are not held', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const globex = await app.as('globex')
  const { id } = await addWebhook(acme, receiver.url)
  await addWebhook(globex, receiver.url)
  await happen(app, acme)
  await happen(app, globex)
  const slots = [{ webhookId: id, slots: 0 }]
  const claim = { node: app.db.presence.node, slots, otherSlots: 5, except: [globex.team] }

  const { events, claimed } = await fanOut(app.db, app.clock.now(), { claim })

  expect([events, claimed]).toEqual([2, []])
  expect(await heldBy(app)).toEqual([false, false])
})

test('a burst reaches an endpoint that answers, each event once', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  await app.webhooks.start()
  const ids = await happen(app, acme, 300)

  app.db.signals.announce(OUTBOX_CHANNEL)
  await receiver.reached(300)
  await app.until(async () => (await open(app)) === 0)

  expect(receiver.received.map(({ id }) => id).sort()).toEqual([...ids].sort())
})

const open = async ({ db }: App) => {
  const [row] = await db.query<{ open: number }>(sql`
    select ((select count(*) from webhook_fan_outs) + (select count(*) from webhook_batches)
      + (select count(*) from webhook_deliveries where due_at is not null))::int as open`)
  return row!.open
}

test('what waits in the ledger of an endpoint is told although new events keep coming', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  const waiting = await happen(app, acme, 30)
  await fanOut(app.db, app.clock.now())
  const fresh = await happen(app, acme, 30)

  await app.webhooks.start()
  app.db.signals.announce(WEBHOOKS_CHANNEL)
  app.db.signals.announce(OUTBOX_CHANNEL)
  await receiver.reached(60)

  expect(receiver.received.map(({ id }) => id).sort()).toEqual([...waiting, ...fresh].sort())
})

test('a fast endpoint that becomes silent does not keep the events of its team from the other ones', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, `${receiver.url}/silent`)
  await addWebhook(acme, `${receiver.url}/well`, ['topic.updated'])
  const gate = makeGate()
  receiver.answer(async (response, { path }) => {
    if (path === '/silent') await gate.opened
    response.end()
  })
  await app.webhooks.start()
  await happen(app, acme, 50)
  const [last] = await happen(app, acme, 1, 'topic.updated')

  app.db.signals.announce(OUTBOX_CHANNEL)
  await app.until(async () => receiver.at('/well').length > 0)
  gate.open()

  expect(receiver.at('/well').map(({ id }) => id)).toEqual([last])
})

test('a fan-out whose answer is lost leaves nothing behind: what it holds is released and told', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const events = await happen(app, acme, 3)
  const queryPooled = app.db.queryPooled.bind(app.db)
  let isLost = false
  vi.spyOn(app.db, 'queryPooled').mockImplementation(async (statement) => {
    const rows = await queryPooled(statement)
    if (isLost || !statement.toQuery().text.includes('delete from webhook_fan_outs')) return rows as never
    isLost = true
    throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })
  })

  await expect(app.deliverWebhooks()).rejects.toThrow('Connection terminated')
  const lost = await heldBy(app)
  await app.deliverWebhooks()

  expect(lost).toEqual([true, true, true])
  expect(receiver.received.map((post) => post.id).sort()).toEqual(events)
  expect(Object.values(await statuses(acme, id))).toEqual(['success', 'success', 'success'])
})

test('a process that dies after its fan-out leaves deliveries that another one takes over', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const [event] = await happen(app, acme)
  const claim = { node: app.db.presence.node, slots: [], otherSlots: 5, except: [] }
  await fanOut(app.db, app.clock.now(), { claim })
  const other = await startApp()
  await app.db.presence.close()

  other.clock.advance(1)
  await other.webhooks.start()
  await app.until(async () => (await statuses(acme, id))[event!] === 'success')

  expect(receiver.received.map((post) => post.id)).toEqual([event])
})

test('a fan-out that is cut off before its commit holds nothing', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  await happen(app, acme, 2)
  const backend = await openBackend()
  await backend.hold('lock table webhook_deliveries in share mode')
  const cut = app.deliverWebhooks().catch(() => 'cut')
  await backend.terminate(await backend.waiters())
  await backend.release()

  expect([await cut, await heldBy(app)]).toEqual(['cut', []])
  await app.deliverWebhooks()
  expect(receiver.received).toHaveLength(2)
})
