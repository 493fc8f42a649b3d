import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { openBackend } from '../../../../test/harness/backends.ts'
import { makeGate } from '../../../../test/harness/gate.ts'
import { seededRandom } from '../../../../test/harness/random.ts'
import { addWebhook, happen, startWithReceiver, statuses } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { newId } from '../../../platform/ids.ts'
import { fanOut } from './fan-out.ts'

test('an event that commits late is told, although later ones with larger ids were told before', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const [inserted, gate] = [makeGate(), makeGate()]
  const late = newId(app.clock)
  const slow = app.db.transaction(async (trx) => {
    await trx.query(
      sql`insert into outbox (team_id, id, type, data, created_at)
        values (${acme.team}, ${late}, 'topic.created', '{}', now())`,
    )
    inserted.open()
    await gate.opened
  })
  await inserted.opened
  const quick = await happen(app, acme, 3)
  await app.deliverWebhooks()
  const before = receiver.received.map((post) => post.id)

  gate.open()
  await slow
  await app.deliverWebhooks()

  expect(`msg_${late}` < quick[0]!).toBe(true)
  expect(before.sort()).toEqual(quick)
  expect(receiver.received.map((post) => post.id).sort()).toEqual([`msg_${late}`, ...quick])
  expect(Object.keys(await statuses(acme, id))).toHaveLength(4)
})

test('whatever the order of the commits, two workers together tell every endpoint of every event once', async () => {
  const random = seededRandom()
  const { app, acme, receiver } = await startWithReceiver()
  const other = await startApp()
  for (const path of ['/a', '/b', '/c']) await addWebhook(acme, `${receiver.url}${path}`)
  const gates = Array.from({ length: 6 }, makeGate)
  const ids = gates.map(() => Array.from({ length: 5 }, () => newId(app.clock)))
  // Of both processes: each holds a connection, of which the workers need some, too.
  const open = gates.map((gate, n) =>
    [app, other][n % 2]!.db.transaction(async (trx) => {
      await trx.query(sql`
        insert into outbox (team_id, id, type, data, created_at)
        select ${acme.team}, id, 'topic.created', '{}', now() from unnest(${ids[n]}::uuid[]) id`)
      await gate.opened
    }),
  )

  for (const n of random.shuffle([...gates.keys()])) {
    gates[n]!.open()
    await Promise.all([open[n], app.deliverWebhooks(), other.deliverWebhooks()])
  }
  await app.deliverWebhooks()

  const told = receiver.received.map(({ path, id }) => `${path} ${id}`)
  expect(told.sort()).toEqual(['/a', '/b', '/c'].flatMap((path) => ids.flat().map((id) => `${path} msg_${id}`)).sort())
})

test('a worker does not look again and again for what another one has delivered while its own slots were taken', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const other = await startApp()
  await addWebhook(acme, receiver.url)
  const gate = makeGate()
  receiver.answer((response) => gate.opened.then(() => response.end()))
  await happen(app, acme, 12)

  const delivering = app.deliverWebhooks()
  await receiver.reached(5)
  receiver.succeed()
  await other.deliverWebhooks()
  gate.open()
  // Would never end.
  await delivering

  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(12)
  expect(receiver.received).toHaveLength(12)
})

test('a flood of one team does not hold up an event of another', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const globex = await app.as('globex')
  await addWebhook(acme, receiver.url)
  await addWebhook(globex, receiver.url)
  await happen(app, acme, 600)
  const [id] = await happen(app, globex, 1)

  const first = await fanOut(app.db, app.clock.now())

  expect(first).toMatchObject({ events: 126, hasMore: true, claimed: [] })
  const due = await app.db.query<{ team: string; deliveries: number }>(sql`
    select team_id as team, count(*)::int as deliveries from webhook_deliveries group by team_id`)
  expect(new Map(due.map(({ team, deliveries }) => [team, deliveries]))).toEqual(
    new Map([
      [acme.team, 125],
      [globex.team, 1],
    ]),
  )
  await app.deliverWebhooks()
  expect(receiver.received).toHaveLength(601)
  expect(receiver.received.findIndex((post) => post.id === id)).toBeLessThan(200)
})

test('what is rolled back is not told', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  const failed = app.db.transaction(async (trx) => {
    await trx.query(
      sql`insert into outbox (team_id, id, type, data, created_at)
        values (${acme.team}, ${newId(app.clock)}, 'topic.created', '{}', now())`,
    )
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')

  await app.deliverWebhooks()

  expect(receiver.received).toEqual([])
})

test('a webhook is told of what happens after it was made, of the kinds that it asked for, and of its own team', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const globex = await app.as('globex')
  await addWebhook(globex, `${receiver.url}/globex`)
  await addWebhook(acme, `${receiver.url}/other`, ['topic.deleted'])
  // Somebody wants it, so it is on the list; the newcomer is not old enough for it.
  await addWebhook(acme, `${receiver.url}/old`)
  const before = await happen(app, acme)
  app.clock.advance(1)
  await addWebhook(acme, `${receiver.url}/new`)
  const after = await happen(app, acme)
  await happen(app, acme, 1, 'topic.updated')

  await app.deliverWebhooks()

  // Side by side, so either may be there first.
  const told = (path: string) =>
    receiver
      .at(path)
      .map(({ id }) => id)
      .sort()
  expect([told('/old'), told('/new')]).toEqual([[...before, ...after], after])
  expect([told('/globex'), told('/other')]).toEqual([[], []])
})

test('what happens while a webhook is disabled is not told, also not later', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  await acme.patch(`/webhooks/${id}`, { status: 'disabled' })
  await happen(app, acme)
  await app.deliverWebhooks()
  await acme.patch(`/webhooks/${id}`, { status: 'enabled' })
  const [heard] = await happen(app, acme)

  await app.deliverWebhooks()

  expect(receiver.received.map((post) => post.id)).toEqual([heard])
})

test('events that nobody wants leave nothing to do', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await happen(app, acme, 10)
  await addWebhook(acme, receiver.url, ['topic.deleted'])
  await happen(app, acme, 10)

  expect(await app.db.query(sql`select event_id from webhook_fan_outs where team_id = ${acme.team}`)).toEqual([])
})

test('a fan-out that is cut off in the middle has done nothing, and the next one does it', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  const events = await happen(app, acme, 5)
  const backend = await openBackend()
  await backend.hold('lock table webhook_deliveries in share mode')
  const cut = app.deliverWebhooks().catch(() => 'cut')
  await backend.terminate(await backend.waiters())
  expect(await cut).toBe('cut')
  await backend.release()

  await app.deliverWebhooks()

  expect(receiver.received.map(({ id }) => id).sort()).toEqual(events)
})
