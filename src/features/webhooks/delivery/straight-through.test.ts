import { expect, test, vi } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { openBackend } from '../../../../test/harness/backends.ts'
import { makeGate } from '../../../../test/harness/gate.ts'
import { addWebhook, happen, startWithReceiver, statuses } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import { fanOut } from './fan-out.ts'
import { WEBHOOKS_CHANNEL } from './queries.ts'

const heldBy = async ({ db }: Awaited<ReturnType<typeof startApp>>) => {
  const rows = await db.query<{ holder: number | null; claims: number }>(sql`
    select holder, claims from webhook_deliveries order by event_id`)
  return rows.map(({ holder, claims }) => ({ isHeld: holder !== null, claims }))
}

test('an event becomes a delivery that is held at once, and is posted without a claim', async () => {
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
  const held = await heldBy(app)
  gate.open()
  await delivered

  expect(held).toEqual([
    { isHeld: true, claims: 1 },
    { isHeld: true, claims: 1 },
  ])
  expect(claimed).toBe(0)
  expect(await statuses(acme, id)).toEqual({ [first]: 'success', [second]: 'success' })
})

test('what an endpoint has no free slots for waits in the ledger, and nothing overtakes it', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  const claim = { node: app.db.presence.node, slots: [], otherSlots: 3, except: [] }
  const ids = await happen(app, acme, 5)

  const { claimed, overflowing } = await fanOut(app.db, app.clock.now(), { claim })

  expect(claimed.map(({ eventId }) => `msg_${eventId}`)).toEqual(ids.slice(0, 3))
  expect(overflowing).toHaveLength(1)
  expect((await heldBy(app)).map(({ isHeld }) => isHeld)).toEqual([true, true, true, false, false])
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
  expect((await heldBy(app)).map(({ isHeld }) => isHeld)).toEqual([false, false])
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

const open = async ({ db }: Awaited<ReturnType<typeof startApp>>) => {
  const [row] = await db.query<{ open: number }>(sql`
    select ((select count(*) from webhook_fan_outs) + (select count(*) from webhook_deliveries where due_at is not null))::int as open`)
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

  expect(lost.every(({ isHeld }) => isHeld)).toBe(true)
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
