import { describe, expect, test } from 'vitest'
import { verify } from '../../../test/harness/receiver.ts'
import { addWebhook, happen, startWithReceiver } from '../../../test/harness/webhooks.ts'
import { sql } from '../../kernel/db/sql.ts'
import { EVENT_TYPES } from '../../kernel/outbox/record.ts'
import { MAX_WEBHOOKS } from './actions.ts'
import { WEBHOOK_EVENTS } from './schema.ts'

const DAY = 86_400

test('a webhook is created, shown with its secret, listed without, changed and deleted', async () => {
  const { acme } = await startWithReceiver()

  const created = await acme.post('/webhooks', { endpoint: 'https://example.com/hook', events: ['email.sent'] })
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    object: 'webhook',
    id: expect.any(String),
    signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
  })
  const { id, signing_secret } = created.body
  const path = `/webhooks/${id}`
  const shown = { id, status: 'enabled', endpoint: 'https://example.com/hook', events: ['email.sent'] }
  expect((await acme.get(path)).body).toEqual({
    object: 'webhook',
    ...shown,
    created_at: expect.any(String),
    signing_secret,
  })
  expect((await acme.get('/webhooks')).body.data).toEqual([{ ...shown, created_at: expect.any(String) }])

  const changes = { endpoint: 'http://localhost:3000/', events: ['email.bounced', 'email.sent', 'email.bounced'] }
  expect((await acme.patch(path, { ...changes, status: 'disabled' })).body).toEqual({ object: 'webhook', id })
  expect((await acme.get(path)).body).toMatchObject({
    status: 'disabled',
    endpoint: 'http://localhost:3000/',
    events: ['email.bounced', 'email.sent'],
    signing_secret,
  })

  expect((await acme.delete(path)).body).toEqual({ object: 'webhook', id, deleted: true })
  expect((await acme.get(path)).body).toEqual({ statusCode: 404, message: 'Webhook not found', name: 'not_found' })
})

test.each([
  ['no endpoint', { events: ['email.sent'] }, 'missing_required_field', 'Missing `endpoint` field.'],
  ['no events', { endpoint: 'https://a.example/' }, 'missing_required_field', 'Missing `events` field.'],
  ['an empty list', { endpoint: 'https://a.example/', events: [] }, 'validation_error', /Invalid `events` field/],
  ['a wildcard', { endpoint: 'https://a.example/', events: ['*'] }, 'validation_error', /Invalid `events\[0\]` field/],
  ['no URL', { endpoint: 'example.com', events: ['email.sent'] }, 'validation_error', /Invalid `endpoint` field/],
  ['a file', { endpoint: 'file:///etc/passwd', events: ['email.sent'] }, 'validation_error', /file:\/\/ is not http/],
  ['a password', { endpoint: 'https://a:b@a.example/', events: ['email.sent'] }, 'validation_error', /password/],
])('a webhook with %s is refused', async (_what, body, name, message) => {
  const { acme } = await startWithReceiver()

  const reply = await acme.post('/webhooks', body)

  expect(reply.body).toMatchObject({ statusCode: 422, name })
  expect(reply.body.message).toMatch(message)
})

test('every kind of event that there is, or that the contract knows, can be asked for', async () => {
  const { acme } = await startWithReceiver()

  const { status } = await acme.post('/webhooks', { endpoint: 'https://example.com/', events: WEBHOOK_EVENTS })

  expect(status).toBe(201)
  expect(WEBHOOK_EVENTS).toHaveLength(44)
  // What ends mail is counted, and told by the contact's own event. What else is happening within is for open dashboards.
  const within = [
    ...['email.unsubscribed', 'event.sent', 'inbox.thread.read.updated', 'inbox.agent.run.ended'],
    ...['editor.content.updated', 'editor.connections.updated', 'policy.refused'],
  ]
  expect([...WEBHOOK_EVENTS, ...within].toSorted()).toEqual(EVENT_TYPES.toSorted())
})

describe('signing secrets', () => {
  test('are not readable in the database, nor in the log of API calls', async () => {
    const { app, acme, receiver } = await startWithReceiver()
    const { id, secret } = await addWebhook(acme, receiver.url)
    const { body: rotated } = await acme.post(`/webhooks/${id}/signing-secret/rotate`)
    await acme.get(`/webhooks/${id}`)
    await app.flush()

    const rows = await app.db.query<{ secret: Buffer }>(
      sql`select secret from webhook_secrets where team_id = ${acme.team}`,
    )
    const logs = await app.db.query(
      sql`select request_body, response_body from request_logs where team_id = ${acme.team}`,
    )
    for (const known of [secret, rotated.signing_secret]) {
      expect(
        rows.some((row) => row.secret.includes(known) || row.secret.includes(Buffer.from(known.slice(6), 'base64'))),
      ).toBe(false)
      expect(JSON.stringify(logs)).not.toContain(known)
    }
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(logs)).toContain('[redacted]')
  })

  test('are replaced without haste: old and new sign for 24 hours, then only the new one', async () => {
    const { app, acme, receiver } = await startWithReceiver()
    const { id, secret: old } = await addWebhook(acme, receiver.url)
    const { body } = await acme.post(`/webhooks/${id}/signing-secret/rotate`)
    const { signing_secret: current } = body
    const next = async (advance: number) => {
      app.clock.advance(advance)
      await happen(app, acme)
      await app.deliverWebhooks()
      return receiver.received.at(-1)!
    }

    expect(body).toEqual({ object: 'webhook', id, signing_secret: expect.stringMatching(/^whsec_/) })
    expect(current).not.toBe(old)
    expect((await acme.get(`/webhooks/${id}`)).body.signing_secret).toBe(current)
    for (const post of [await next(0), await next(DAY - 1)]) {
      expect(post.headers['svix-signature']!.split(' ')).toHaveLength(2)
      verify(post, old)
      verify(post, current)
    }
    const late = await next(1)
    verify(late, current)
    expect(() => verify(late, old)).toThrow()
    expect(late.headers['svix-signature']!.split(' ')).toHaveLength(1)
  })

  test('that were replaced twice within a day all sign, up to ten of them', async () => {
    const { app, acme, receiver } = await startWithReceiver()
    const { id, secret } = await addWebhook(acme, receiver.url)
    const secrets = [secret]
    for (let n = 0; n < 12; n++) {
      const { body } = await acme.post(`/webhooks/${id}/signing-secret/rotate`)
      secrets.push(body.signing_secret)
    }
    await happen(app, acme)

    await app.deliverWebhooks()

    const [post] = receiver.received
    for (const known of secrets.slice(-10)) verify(post!, known)
    expect(post!.headers['svix-signature']!.split(' ')).toHaveLength(10)
    expect(() => verify(post!, secret)).toThrow()
  })

  test('that are replaced by two at once are replaced one after the other', async () => {
    const { acme, receiver } = await startWithReceiver()
    const { id } = await addWebhook(acme, receiver.url)

    const replies = await Promise.all(
      Array.from({ length: 5 }, () => acme.post(`/webhooks/${id}/signing-secret/rotate`)),
    )

    const { body } = await acme.get(`/webhooks/${id}`)
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(replies.map((reply) => reply.body.signing_secret)).toContain(body.signing_secret)
  })
})

test('a team has a number of webhooks, and no other team has fewer for it', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const globex = await app.as('globex')
  const { id } = await addWebhook(acme, receiver.url)
  for (let n = 1; n < MAX_WEBHOOKS; n++) await addWebhook(acme, receiver.url)

  const given = { endpoint: receiver.url, events: ['email.sent'] }
  const refused = await acme.post('/webhooks', given)
  expect(refused).toMatchObject({ status: 403, body: { name: 'validation_error' } })
  expect(refused.body.message).toBe('A team can have at most 100 webhooks. Delete one first.')

  expect((await globex.post('/webhooks', given)).status).toBe(201)
  await acme.delete(`/webhooks/${id}`)
  expect((await acme.post('/webhooks', given)).status).toBe(201)
})

test('a new address counts for what is still to be told', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, `${receiver.url}/old`)
  receiver.fail()
  const [event] = await happen(app, acme)
  await app.deliverWebhooks()

  await acme.patch(`/webhooks/${id}`, { endpoint: `${receiver.url}/new` })
  receiver.succeed()
  app.clock.advance(6)
  await app.deliverWebhooks()

  expect(receiver.received.map(({ path, id }) => [path, id])).toEqual([
    ['/old', event],
    ['/new', event],
  ])
})
