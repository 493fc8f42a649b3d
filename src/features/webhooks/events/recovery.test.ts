import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { readBuffers } from '../../../../test/harness/buffers.ts'
import { verify } from '../../../../test/harness/receiver.ts'
import { addWebhook, attemptsOf, happen, startWithReceiver, statuses } from '../../../../test/harness/webhooks.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { pageStatement } from '../../../kernel/http/list.ts'
import { replayUndelivered } from '../delivery/replay.ts'
import { WEBHOOK_EVENTS } from '../schema.ts'
import { eventRows } from './queries.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const idsOf = (posts: readonly { readonly id: string }[]) => posts.map(({ id }) => id).sort()

/** An endpoint that failed for some events, is repaired, and a replay of all that it missed. */
async function startFailing(events: number) {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const before = await happen(app, acme)
  await app.deliverWebhooks()
  receiver.fail(500)
  const missed: string[] = []
  for (let count = 0; count < events; count++) missed.push(...(await happen(app, acme)))
  await app.deliverWebhooks()
  receiver.succeed()
  return { app, acme, receiver, id, before, missed }
}

test.each(['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+01:00'])(
  'a replay begins at %s, as programs write it',
  async (since) => {
    const app = await startApp()
    const acme = await app.as('acme')
    const { body } = await acme.post('/webhooks', { endpoint: 'https://example.com/hook', events: ['email.sent'] })

    expect((await acme.post(`/webhooks/${body.id}/events/replay-failed`, { since })).status).toBeLessThan(300)
    expect((await acme.post(`/webhooks/${body.id}/events/replay-failed`, { since: 'yesterday' })).body.message).toBe(
      'Invalid `since` field. It must be a time like `2026-01-31T12:00:00Z`.',
    )
  },
)

test('all events that a webhook missed are replayed at once: those that failed and those that wait for a retry', async () => {
  const { app, acme, receiver, id, before, missed } = await startFailing(3)
  await app.db.query(sql`
    update webhook_deliveries set state = 'failed', next_attempt_at = null, due_at = null
    where webhook_id = ${id} and event_id = ${missed[0]!.slice('msg_'.length)}`)
  expect(await statuses(acme, id)).toMatchObject({ [missed[0]!]: 'failed', [missed[1]!]: 'pending' })

  const sent = receiver.received.length
  const { status, body } = await acme.post(`/webhooks/${id}/events/replay-failed`, {})
  await app.runDueJobs()
  await app.deliverWebhooks()

  expect([status, body]).toEqual([200, { object: 'webhook', id }])
  expect(idsOf(receiver.received.slice(sent))).toEqual(missed.toSorted())
  const expected = Object.fromEntries([...before, ...missed].map((event) => [event, 'success']))
  expect(await statuses(acme, id)).toEqual(expected)
  expect((await app.db.query(sql`select from jobs where name = 'webhooks.replay'`)).length).toBe(0)
})

test('a replay can begin at a moment, and goes on slice by slice', async () => {
  const { app, acme, receiver, id, missed } = await startFailing(2)
  app.clock.advance(60)
  const since = app.clock.now().toISOString()
  receiver.fail(500)
  const later = [...(await happen(app, acme)), ...(await happen(app, acme)), ...(await happen(app, acme))]
  await app.db.query(
    sql`update webhook_deliveries set due_at = ${new Date(Date.parse(since) + 3_600_000)} where webhook_id = ${id} and due_at is not null`,
  )
  await app.deliverWebhooks()
  receiver.succeed()
  const sent = receiver.received.length

  await acme.post(`/webhooks/${id}/events/replay-failed`, { since })
  await app.runDueJobs()
  await app.deliverWebhooks()
  expect(idsOf(receiver.received.slice(sent))).toEqual(later.toSorted())

  const range = { webhookId: id, from: FIRST, to: LAST }
  expect(await replayUndelivered(app.db, acme.team, range, 1)).toBe(missed[0]!.slice('msg_'.length))
  expect(await replayUndelivered(app.db, acme.team, range, 1)).toBe(missed[1]!.slice('msg_'.length))
  expect(await replayUndelivered(app.db, acme.team, range, 1)).toBeUndefined()
})

test('what is being delivered is filtered by its state and type, with how it went', async () => {
  const { acme, id, before, missed } = await startFailing(2)
  const ids = async (query: string) =>
    (await acme.get(`/webhooks/${id}/events?${query}`)).body.data.map((event: { id: string }) => event.id)

  expect(await ids('status=failing')).toEqual(missed.toReversed())
  expect(await ids('status=pending')).toEqual(missed.toReversed())
  expect(await ids('status=failed')).toEqual([])
  expect(await ids('status=attempting')).toEqual([])
  expect(await ids('status=success')).toEqual(before)
  expect(await ids('status=success&type=topic.deleted')).toEqual([])
  expect(await ids('type=topic.created&limit=2')).toEqual(missed.toReversed())
  expect((await acme.get(`/webhooks/${id}/events?status=lost`)).status).toBe(422)
  const [newest, , oldest] = (await acme.get(`/webhooks/${id}/events`)).body.data
  expect(newest).toMatchObject({ failed_attempts: 1, last_status_code: 500, is_test: false })
  expect(newest).toMatchObject({ next_attempt_at: expect.any(String), last_duration_ms: expect.any(Number) })
  expect(oldest).toMatchObject({ failed_attempts: 0, next_attempt_at: null, last_status_code: 200 })
  expect(await attemptsOf(acme, id, missed[0]!)).toMatchObject([{ duration_ms: expect.any(Number) }])
})

test('a test event goes to one webhook, signed, once, and changes nothing else', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id, secret } = await addWebhook(acme, receiver.url, ['topic.created'])
  const { id: other } = await addWebhook(acme, receiver.url, ['email.bounced'])

  const { status, body } = await acme.post(`/webhooks/${id}/test`, { type: 'email.bounced' })
  await app.deliverWebhooks()

  expect([status, body]).toEqual([200, { object: 'webhook_event', id: expect.stringMatching(/^msg_/) }])
  expect(receiver.received).toHaveLength(1)
  verify(receiver.received[0]!, secret)
  expect(receiver.received[0]!.event).toMatchObject({
    type: 'email.bounced',
    test: true,
    data: { to: ['ada@example.org'], bounce: { type: 'Permanent' } },
  })
  const { data: log } = (await acme.get(`/webhooks/${id}/events?type=email.bounced`)).body
  expect(log).toMatchObject([{ id: body.id, type: 'email.bounced', status: 'success', is_test: true }])
  const shown = (await acme.get(`/webhooks/${id}/events/${body.id}`)).body
  expect(shown.payload).toEqual(receiver.received[0]!.event)
  expect((await acme.get(`/webhooks/${other}/events`)).body.data).toEqual([])
  for (const table of ['outbox_notes', 'outbox_batches'])
    expect(await app.db.query(sql`select from ${raw(table)} where team_id = ${acme.team}`)).toEqual([])
})

test('a test event that fails is not tried again, neither by itself nor by a replay of all', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.fail(500)
  const { id: event } = (await acme.post(`/webhooks/${id}/test`, { type: 'email.sent' })).body
  await app.deliverWebhooks()
  await acme.post(`/webhooks/${id}/events/replay-failed`, {})
  await app.runDueJobs()
  app.clock.advance(86_400)
  await app.deliverWebhooks()

  expect(receiver.received).toHaveLength(1)
  expect(await statuses(acme, id)).toEqual({ [event]: 'failed' })
})

test('every type of event can be tested, and nothing of a webhook that is disabled or of another team', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  for (const type of WEBHOOK_EVENTS) expect((await acme.post(`/webhooks/${id}/test`, { type })).status).toBe(200)
  await app.deliverWebhooks()
  expect(new Set(receiver.received.map(({ event }) => event.type))).toEqual(new Set(WEBHOOK_EVENTS))
  expect((await acme.post(`/webhooks/${id}/test`, { type: 'email.lost' })).status).toBe(422)

  const stranger = await app.as('globex')
  expect((await stranger.post(`/webhooks/${id}/test`, { type: 'email.sent' })).status).toBe(404)
  expect((await stranger.post(`/webhooks/${id}/events/replay-failed`, {})).status).toBe(404)
  await acme.patch(`/webhooks/${id}`, { status: 'disabled' })
  expect((await acme.post(`/webhooks/${id}/test`, { type: 'email.sent' })).status).toBe(422)
  expect((await acme.post(`/webhooks/${id}/events/replay-failed`, {})).status).toBe(422)
})

test('what was not delivered is found by an index among many that went well', async () => {
  const { app, acme, id } = await startFailing(1)
  await app.db.query(sql`
    insert into outbox (team_id, id, type, data, created_at)
    select ${acme.team}, gen_random_uuid(), 'topic.created', '{}', now() from generate_series(1, 20000)`)
  await app.db.query(sql`
    insert into webhook_deliveries (team_id, webhook_id, event_id, state)
    select team_id, ${id}, id, 'success' from outbox where team_id = ${acme.team} on conflict do nothing`)
  for (const table of ['outbox', 'webhook_deliveries']) await app.db.query(raw(`vacuum analyze ${table}`))
  const page = (status: 'failed' | 'failing') =>
    pageStatement(eventRows(app.db, acme.team, id, { status }), { limit: 20, cursor: null, direction: 'older' }, 20)

  const buffers = [await readBuffers(app.db, page('failed')), await readBuffers(app.db, page('failing'))]

  expect(Math.max(...buffers)).toBeLessThan(100)
})
