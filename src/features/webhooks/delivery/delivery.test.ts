import { expect, test } from 'vitest'
import { sendEmail } from '../../../../test/harness/emails.ts'
import { verify } from '../../../../test/harness/receiver.ts'
import { addWebhook, attemptsOf, happen, startWithReceiver, statuses } from '../../../../test/harness/webhooks.ts'
import { JITTER, RETRY_SCHEDULE_SECONDS } from './retry.ts'

test('an event is posted with its type, its time and its data, and signed', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id, secret } = await addWebhook(acme, `${receiver.url}/hooks?team=acme`)
  const { body: topic } = await acme.post('/topics', { name: 'Näws' })

  await app.deliverWebhooks()

  const [post, ...others] = receiver.received
  expect(others).toEqual([])
  expect(post!.path).toBe('/hooks?team=acme')
  expect(Object.keys(post!.event)).toEqual(['type', 'created_at', 'data'])
  expect(post!.event).toMatchObject({
    type: 'topic.created',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { id: topic.id, name: 'Näws', description: null },
  })
  expect(post!.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^Svix-Webhooks\/.*Postwren/),
    'svix-id': expect.stringMatching(/^msg_[0-9a-f-]{36}$/),
    'svix-timestamp': String(Math.floor(app.clock.now().getTime() / 1_000)),
    'svix-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    'webhook-id': post!.headers['svix-id'],
    'webhook-timestamp': post!.headers['svix-timestamp'],
    'webhook-signature': post!.headers['svix-signature'],
  })
  expect(verify(post!, secret)).toEqual(post!.event)
  expect(await statuses(acme, id)).toEqual({ [post!.id]: 'success' })
})

test('the story of an email is told, tags as a map, and everybody accepts the signatures', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { secret } = await addWebhook(acme, receiver.url, ['email.sent', 'email.delivered', 'email.bounced'])
  const id = await sendEmail(acme, { tags: [{ name: 'kind', value: 'greeting' }] })
  await app.deliverDue()

  await app.deliverWebhooks()

  const events = receiver.received.map((post) => verify(post, secret) as { type: string; data: object })
  // Side by side, so either may be there first.
  expect(events.map(({ type }) => type).sort()).toEqual(['email.delivered', 'email.sent'])
  for (const { data } of events)
    expect(data).toMatchObject({ email_id: id, to: ['ada@example.com'], tags: { kind: 'greeting' } })
})

test('two webhooks are told of one event under the same id, each with its own signature', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const secrets = {
    '/a': (await addWebhook(acme, `${receiver.url}/a`)).secret,
    '/b': (await addWebhook(acme, `${receiver.url}/b`)).secret,
  }
  const [event] = await happen(app, acme)

  await app.deliverWebhooks()

  expect(receiver.received.map(({ path, id }) => [path, id]).sort()).toEqual([
    ['/a', event],
    ['/b', event],
  ])
  for (const post of receiver.received) verify(post, secrets[post.path as '/a' | '/b'])
  expect(() => verify(receiver.at('/a')[0]!, secrets['/b'])).toThrow()
})

test('one event after the other is told in the order in which they happened', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  const ids: string[] = []

  for (let n = 0; n < 5; n++) {
    ids.push(...(await happen(app, acme)))
    await app.deliverWebhooks()
  }

  expect(receiver.received.map(({ id }) => id)).toEqual(ids)
})

test('what fails is tried again by the retry schedule, under its own id, and then it has failed', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id, secret } = await addWebhook(acme, receiver.url)
  const [event] = await happen(app, acme)
  receiver.fail()

  const counts: number[] = []
  const seen: string[] = []
  await app.deliverWebhooks()
  for (const seconds of RETRY_SCHEDULE_SECONDS) {
    app.clock.advance(seconds * (1 - JITTER) - 1)
    await app.deliverWebhooks()
    counts.push(receiver.received.length)
    seen.push((await statuses(acme, id))[event!]!)
    app.clock.advance(seconds * 2 * JITTER + 1)
    await app.deliverWebhooks()
  }

  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(seen).toEqual(seen.map(() => 'pending'))
  expect(receiver.received.map((post) => post.id)).toEqual(Array.from({ length: 8 }, () => event))
  expect(new Set(receiver.received.map(({ headers }) => headers['svix-timestamp'])).size).toBe(8)
  for (const post of receiver.received) verify(post, secret)
  expect((await acme.get(`/webhooks/${id}/events/${event}`)).body).toMatchObject({
    status: 'failed',
    next_attempt_at: null,
  })
  app.clock.advance(30 * 86_400)
  await app.deliverWebhooks()
  expect(receiver.received).toHaveLength(8)
  expect(await attemptsOf(acme, id, event!)).toHaveLength(8)
})

test('an endpoint that comes back gets what it has missed', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.fail(503)
  const events = await happen(app, acme, 3)
  await app.deliverWebhooks()

  receiver.succeed()
  app.clock.advance(6)
  await app.deliverWebhooks()

  expect(Object.keys(await statuses(acme, id)).sort()).toEqual(events)
  expect(new Set(Object.values(await statuses(acme, id)))).toEqual(new Set(['success']))
  const attempts = await attemptsOf(acme, id, events[0]!)
  expect(attempts.map(({ http_status_code, response }) => [http_status_code, response])).toEqual([
    [200, 'thanks'],
    [503, 'no'],
  ])
})

test('an endpoint that asks for time is left alone until then', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  receiver.answer((response) => response.writeHead(429, { 'retry-after': '3600' }).end())
  await happen(app, acme)
  await app.deliverWebhooks()

  app.clock.advance(3_590)
  await app.deliverWebhooks()
  const early = receiver.received.length
  app.clock.advance(11)
  await app.deliverWebhooks()

  expect([early, receiver.received.length]).toEqual([1, 2])
})
