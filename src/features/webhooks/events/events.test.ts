import { describe, expect, test } from 'vitest'
import type { App } from '../../../../test/harness/app.ts'
import { makeGate } from '../../../../test/harness/gate.ts'
import { verify } from '../../../../test/harness/receiver.ts'
import { addWebhook, attemptsOf, happen, startWithReceiver, statuses } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { ensureRecurring } from '../../../kernel/jobs/queries.ts'
import { sweepWebhookAttempts, sweepWebhookDeliveries } from '../delivery/jobs.ts'

const DAY = 86_400

/** The jobs that sweep, due now: a test before this one may have been ahead in time. */
async function scheduleSweeps({ db }: App) {
  await db.query(sql`delete from jobs`)
  await ensureRecurring(db, [sweepWebhookDeliveries, sweepWebhookAttempts])
}

test('the log has the newest event first, and each as it was told', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const [first, second] = [...(await happen(app, acme)), ...(await happen(app, acme))]
  await app.deliverWebhooks()

  const { body: log } = await acme.get(`/webhooks/${id}/events`)
  const { body: event, text } = await acme.get(`/webhooks/${id}/events/${first}`)

  const [post] = receiver.received.filter((one) => one.id === first)
  const item = {
    ...{ id: first, type: 'topic.created', created_at: expect.any(String), status: 'success' },
    ...{ failed_attempts: 0, next_attempt_at: null, last_status_code: 200, last_duration_ms: expect.any(Number) },
    is_test: false,
  }
  expect(log).toEqual({ object: 'list', has_more: false, data: [{ ...item, id: second }, item] })
  expect(event).toEqual({ object: 'webhook_event', ...item, payload: post!.event })
  expect(text).toContain(`"payload":${post!.body}`)
})

test('an attempt says when it was made and what came back, the newest first', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const [event] = await happen(app, acme)
  receiver.fail()
  await app.deliverWebhooks()
  const { body: waiting } = await acme.get(`/webhooks/${id}/events/${event}`)
  receiver.succeed()
  app.clock.advance(6)
  await app.deliverWebhooks()

  const attempts = await attemptsOf(acme, id, event!)

  expect(waiting).toMatchObject({ status: 'pending', next_attempt_at: expect.stringMatching(/\+00$/) })
  expect(attempts).toEqual([
    {
      id: expect.stringMatching(/^atmpt_/),
      http_status_code: 200,
      response: 'thanks',
      duration_ms: expect.any(Number),
      sent_at: expect.any(String),
    },
    {
      id: expect.stringMatching(/^atmpt_/),
      http_status_code: 500,
      response: 'no',
      duration_ms: expect.any(Number),
      sent_at: expect.any(String),
    },
  ])
})

test('an event that a webhook was not told of is not in its log', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const { id: other } = await addWebhook(acme, receiver.url, ['topic.deleted'])
  const [event] = await happen(app, acme)
  await app.deliverWebhooks()

  const missing = { statusCode: 404, message: 'Webhook event not found', name: 'not_found' }
  expect((await acme.get(`/webhooks/${other}/events`)).body.data).toEqual([])
  expect((await acme.get(`/webhooks/${other}/events/${event}`)).body).toEqual(missing)
  expect((await acme.get(`/webhooks/${other}/events/${event}/attempts`)).body).toEqual(missing)
  expect((await acme.post(`/webhooks/${other}/events/${event}/replay`)).body).toEqual(missing)
  expect((await acme.get(`/webhooks/${id}/events/${event}`)).status).toBe(200)
  expect((await acme.get(`/webhooks/${id}/events/event`)).body).toMatchObject({
    statusCode: 422,
    name: 'invalid_parameter',
  })
})

describe('a replay', () => {
  /** One event, told to an endpoint that answered with this status. */
  async function startTold(status: number) {
    const { app, acme, receiver } = await startWithReceiver()
    const { id, secret } = await addWebhook(acme, receiver.url)
    const [event] = await happen(app, acme)
    receiver.fail(status)
    await app.deliverWebhooks()
    const path = `/webhooks/${id}/events/${event}`
    return { app, acme, receiver, id, secret, event: event!, path, replay: () => acme.post(`${path}/replay`) }
  }

  test('tells an event once more, under its own id', async () => {
    const { app, acme, receiver, id, secret, event, replay } = await startTold(200)

    const { status, body } = await replay()
    expect(await statuses(acme, id)).toEqual({ [event]: 'pending' })
    app.clock.advance(100)
    await app.deliverWebhooks()

    expect([status, body]).toEqual([200, { object: 'webhook_event', id: event }])
    expect(receiver.received.map((post) => post.id)).toEqual([event, event])
    for (const post of receiver.received) verify(post, secret)
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body)
    expect(await statuses(acme, id)).toEqual({ [event]: 'success' })
  })

  test('of an event that is still tried comes first, and the ladder goes on where it was', async () => {
    const { app, acme, receiver, path, replay } = await startTold(500)
    const { body: before } = await acme.get(path)

    await replay()
    await app.deliverWebhooks()

    expect(receiver.received).toHaveLength(2)
    expect((await acme.get(path)).body).toEqual({ ...before, last_duration_ms: expect.any(Number) })
    app.clock.advance(6)
    await app.deliverWebhooks()
    expect(receiver.received).toHaveLength(3)
    const { body: later } = await acme.get(path)
    const wait = Date.parse(later.next_attempt_at) - app.clock.now().getTime()
    expect(wait).toBeGreaterThan(240_000 - 1_000)
    expect(wait).toBeLessThan(360_000 + 1_000)
  })

  test('that succeeds ends the ladder', async () => {
    const { app, acme, receiver, id, event, replay } = await startTold(500)
    receiver.succeed()

    await replay()
    await app.deliverWebhooks()
    app.clock.advance(DAY)
    await app.deliverWebhooks()

    expect(await statuses(acme, id)).toEqual({ [event]: 'success' })
    expect(receiver.received).toHaveLength(2)
  })

  test('that fails is not tried again, and leaves a success a success', async () => {
    const { app, acme, receiver, id, event, replay } = await startTold(200)
    receiver.fail()

    await replay()
    await app.deliverWebhooks()
    app.clock.advance(DAY)
    await app.deliverWebhooks()

    expect(receiver.received).toHaveLength(2)
    expect(await statuses(acme, id)).toEqual({ [event]: 'success' })
    expect((await attemptsOf(acme, id, event)).map((attempt) => attempt.http_status_code)).toEqual([500, 200])
  })

  test('makes a failure a success', async () => {
    const { app, acme, receiver, id, event, replay } = await startTold(410)
    await acme.patch(`/webhooks/${id}`, { status: 'enabled' })
    expect(await statuses(acme, id)).toEqual({ [event]: 'failed' })
    receiver.succeed()

    await replay()
    await app.deliverWebhooks()

    expect(await statuses(acme, id)).toEqual({ [event]: 'success' })
  })

  test('while an attempt is under way follows it', async () => {
    const { app, acme, receiver } = await startWithReceiver()
    const { id } = await addWebhook(acme, receiver.url)
    const [event] = await happen(app, acme)
    const gate = makeGate()
    receiver.answer(async (response) => {
      await gate.opened
      response.end()
    })
    const delivered = app.deliverWebhooks()
    await receiver.reached(1)

    await acme.post(`/webhooks/${id}/events/${event}/replay`)
    gate.open()
    await delivered

    expect(receiver.received.map((post) => post.id)).toEqual([event, event])
    expect(await statuses(acme, id)).toEqual({ [event!]: 'success' })
  })

  test('needs a webhook that is enabled', async () => {
    const { app, acme, receiver, id, replay } = await startTold(200)
    await acme.patch(`/webhooks/${id}`, { status: 'disabled' })

    expect((await replay()).body).toMatchObject({ statusCode: 422, name: 'validation_error' })
    await app.deliverWebhooks()
    expect(receiver.received).toHaveLength(1)
  })
})

test('events and attempts are kept for the time that the settings say', async () => {
  const { app, acme, receiver } = await startWithReceiver({}, { POSTWREN_RETENTION_EVENTS: '2d' })
  const { id } = await addWebhook(acme, receiver.url)
  await scheduleSweeps(app)
  receiver.fail(410)
  await happen(app, acme, 1)
  await app.deliverWebhooks()
  await acme.patch(`/webhooks/${id}`, { status: 'enabled' })
  receiver.succeed()
  await happen(app, acme, 2)
  await app.deliverWebhooks()
  const kept = async () => {
    const [row] = await app.db.query<{ kept: number[] }>(sql`
      select array[(select count(*) from webhook_deliveries where team_id = ${acme.team}),
        (select count(*) from webhook_attempts where team_id = ${acme.team})]::int[] as kept`)
    return row!.kept
  }

  app.clock.advance(2 * DAY - 60)
  await app.runDueJobs()
  expect(await kept()).toEqual([3, 1])
  expect(Object.keys(await statuses(acme, id))).toHaveLength(3)

  // What is left in old partitions is looked for every six hours.
  app.clock.advance(6 * 3_600)
  await app.runDueJobs()
  expect(await kept()).toEqual([0, 0])
})

test('the log of a webhook that is deleted goes an hour later, whatever is under way', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const { id: other } = await addWebhook(acme, receiver.url)
  receiver.fail()
  await happen(app, acme, 3)
  await app.deliverWebhooks()
  await acme.delete(`/webhooks/${id}`)
  // A node that has stood still for an hour writes down then what came of its deliveries.
  await app.db.query(sql`
    insert into webhook_batches (team_id, webhook_id, id, holder, claimed_at, event_ids)
    values (${acme.team}, ${id}, ${id}, ${app.db.presence.node}, ${app.clock.now()}, '{}')`)
  const left = async () => {
    const rows = await app.db.query<{ webhook: string }>(sql`
      select distinct webhook_id as webhook from webhook_deliveries where team_id = ${acme.team}
      union select webhook_id from webhook_attempts where team_id = ${acme.team}`)
    return rows.map(({ webhook }) => webhook).sort()
  }

  app.clock.advance(3_000)
  await app.runDueJobs()
  expect(await left()).toEqual([id, other].sort())
  app.clock.advance(900)
  await app.runDueJobs()
  expect(await left()).toEqual([other])

  await app.db.query(sql`
    with ended as (delete from webhook_batches where webhook_id = ${id} returning team_id)
    insert into webhook_deliveries (team_id, webhook_id, event_id, state) select team_id, ${id}, ${id}, 'success' from ended`)
  app.clock.advance(90)
  await app.runDueJobs()
  expect(await left()).toEqual([other])
})
