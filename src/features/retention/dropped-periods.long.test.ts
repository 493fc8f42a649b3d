import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { broadcastTo, makeManyContacts, startBroadcasting } from '../../../test/harness/broadcasts.ts'
import { inboxOf, messagesIn, partition, receive } from '../../../test/harness/filed-mail.ts'
import { passDays } from '../../../test/harness/filled-periods.ts'
import { sql } from '../../kernel/db/sql.ts'
import { findPartitions } from '../../kernel/partitions/catalog.ts'
import { dropPeriods } from '../../kernel/partitions/drop.ts'
import { boundAt, firstTable } from '../../kernel/partitions/tables.ts'
import { expandBatch } from '../broadcasts/expand.ts'
import { dropOldPeriods } from './jobs.ts'

// What still names mail whose period was dropped.

const DAY = 86_400
/** The tests have one database, and what one of them has dropped is gone: each begins where the one before it has ended. */
let passed = 0

async function pass(app: App, days: number) {
  await passDays(app, days)
  passed += days
}

function goOn(app: App) {
  app.clock.advance(passed * DAY)
}

const drop = (app: App) => dropOldPeriods.run({}, { ...app.services, signal: new AbortController().signal })

const countOf = async (app: App, id: string) =>
  (await app.db.query(sql`select from received_emails where id = ${id}`)).length

test('a reply to a message whose period was dropped begins a thread, or joins what is left of its own', async () => {
  const app = await startApp({ POSTWREN_RETENTION_RECEIVED: '10d' })
  goOn(app)
  const { client, address, id: inbox } = await inboxOf(app, 'acme')
  const now = () => app.clock.now()
  const first = { subject: 'Delivery', id: '<first@example.net>', date: now() }
  const [gone] = await receive(app, address, first)
  await pass(app, 30)
  const kept = { subject: 'Re: Delivery', id: '<second@example.net>', references: [first.id], date: now() }
  const [second] = await receive(app, address, kept)
  await pass(app, 5)

  await drop(app)
  const left = await messagesIn(app, client, inbox)
  const replies = [
    { subject: 'Re: Delivery', id: '<third@example.net>', references: [first.id, kept.id], date: now() },
    { subject: 'Something else', id: '<fourth@example.net>', inReplyTo: first.id, references: [first.id], date: now() },
  ]
  const [third, fourth] = await receive(app, address, ...replies)

  expect([await countOf(app, gone!), left.map(({ id }) => id)]).toEqual([0, [second]])
  const messages = await messagesIn(app, client, inbox)
  const ids = [second!, third!, fourth!]
  expect(messages.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(partition(messages, ids)[0]).toEqual(expect.arrayContaining([0, 1]))
  for (const { thread } of messages) expect((await client.get(`/inboxes/${inbox}/threads/${thread}`)).status).toBe(200)
})

test('a reply is filed although a name is left of a message whose period was dropped', async () => {
  const app = await startApp()
  goOn(app)
  const { client, address, id: inbox } = await inboxOf(app, 'acme')
  const first = { subject: 'Invoice', id: '<invoice@example.net>', date: app.clock.now() }
  const [gone] = await receive(app, address, first)
  await pass(app, 20)
  // As a run leaves it whose process ends between two of its steps, or a row that came late.
  await app.db.query(sql`delete from inbox_threads where team_id = ${client.team}`)
  await app.db.query(sql`delete from inbox_messages where team_id = ${client.team}`)
  await dropPeriods(app.db, 'received', { kept: [], end: boundAt(app.clock.now()) })

  const reply = { subject: 'Re: Invoice', id: '<answer@example.net>', references: [first.id], date: app.clock.now() }
  const [answer] = await receive(app, address, reply)

  expect(await countOf(app, gone!)).toBe(0)
  const messages = await messagesIn(app, client, inbox)
  expect(messages.map(({ id }) => id)).toEqual([answer])
  const { status, body } = await client.get(`/inboxes/${inbox}/threads`)
  expect([status, body.data.length]).toEqual([200, 1])
})

test('a broadcast that is resumed after the period of its first copies is gone writes to nobody twice', async () => {
  const { app, acme, written } = await startBroadcasting()
  goOn(app)
  const segment = await makeManyContacts(app, acme, 6)
  const id = await broadcastTo(acme, segment)
  const expandSome = () =>
    app.db.transaction((trx) => expandBatch(trx, acme.team, id, { now: app.clock.now(), most: 3 }))
  await expandSome()
  await app.deliverDue()
  const before = written()
  // As the guard does it.
  await app.db.query(sql`update broadcasts set paused_at = ${app.clock.now()}, pause = '{}' where id = ${id}`)
  const [email] = await app.db.query<{ id: string }>(sql`select id from emails where broadcast_id = ${id} limit 1`)
  await pass(app, 20)
  await dropPeriods(app.db, 'bodies', { kept: [], end: boundAt(app.clock.now()) })
  await dropPeriods(app.db, 'emails', { kept: [], end: boundAt(app.clock.now()) })

  const resumed = await acme.post(`/broadcasts/${id}/resume`)
  await app.runDueJobs()
  await app.deliverDue()
  app.clock.advance(1)
  await app.runDueJobs()

  expect(await app.db.query(sql`select from emails where id = ${email!.id}`)).toEqual([])
  expect(resumed.status).toBe(200)
  expect([before.length, written().length, new Set(written()).size]).toEqual([3, 6, 6])
  const { body } = await acme.get(`/broadcasts/${id}`)
  expect(body.status).toBe('sent')
  const { status, body: recipients } = await acme.get(`/broadcasts/${id}/recipients?type=delivered`)
  expect([status, recipients.data?.length ?? recipients]).toEqual([200, 6])
  expect((await findPartitions(app.db, firstTable('emails'))).length).toBeGreaterThan(0)
})
