import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

const SIMPLE = { from: 'Acme <hello@acme.dev>', to: 'ada@example.com', subject: 'Hello', html: '<p>Hi <b>Ada</b></p>' }

test('an email that is sent can be read with its recipients and events', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const sent = await acme.post('/emails', {
    ...SIMPLE,
    tags: [{ name: 'kind', value: 'greeting' }],
    cc: ['bob@example.com'],
  })
  await app.deliverDue()

  expect(sent.status).toBe(200)
  expect(sent.body).toEqual({ id: expect.any(String) })
  const { body: email } = await acme.get(`/emails/${sent.body.id}`)
  expect(email).toMatchObject({
    object: 'email',
    from: SIMPLE.from,
    to: ['ada@example.com'],
    cc: ['bob@example.com'],
    bcc: [],
    reply_to: [],
    subject: 'Hello',
    html: SIMPLE.html,
    text: null,
    last_event: 'delivered',
    scheduled_at: null,
    tags: [{ name: 'kind', value: 'greeting' }],
  })
  expect(
    email.deliveries.map(({ recipient, state }: { recipient: string; state: string }) => [recipient, state]),
  ).toEqual([
    ['ada@example.com', 'delivered'],
    ['bob@example.com', 'delivered'],
  ])
  expect(email.events.map(({ type }: { type: string }) => type)).toEqual(['email.sent', 'email.delivered'])
})

test('test addresses behave as they are called', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const outcomes: Record<string, string> = {}

  for (const name of ['delivered', 'bounced+x', 'complained', 'suppressed']) {
    const { body } = await acme.post('/emails', { ...SIMPLE, to: `${name}@resend.dev` })
    await app.deliverDue()
    outcomes[name] = (await acme.get(`/emails/${body.id}`)).body.last_event
  }

  expect(outcomes).toEqual({
    delivered: 'delivered',
    'bounced+x': 'bounced',
    complained: 'complained',
    suppressed: 'suppressed',
  })
})

test('the same idempotency key gives the same answer and sends once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const key = { 'idempotency-key': 'order-1' }

  const first = await acme.post('/emails', SIMPLE, key)
  const again = await acme.post('/emails', SIMPLE, key)
  const other = await acme.post('/emails', { ...SIMPLE, subject: 'Other' }, key)

  expect(again.body).toEqual(first.body)
  expect(other.status).toBe(409)
  expect(other.body.name).toBe('invalid_idempotent_request')
  expect((await acme.get('/emails')).body.data).toHaveLength(1)
})

test('scheduled mail waits for its time, and can be moved and canceled until then', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: kept } = await acme.post('/emails', { ...SIMPLE, scheduled_at: 'in 1 hour' })
  const { body: canceled } = await acme.post('/emails', { ...SIMPLE, scheduled_at: 'in 1 hour' })

  await app.deliverDue()
  expect((await acme.get(`/emails/${kept.id}`)).body.last_event).toBe('scheduled')
  expect((await acme.post(`/emails/${canceled.id}/cancel`)).status).toBe(200)
  expect((await acme.patch(`/emails/${kept.id}`, { scheduled_at: 'in 2 hours' })).status).toBe(200)
  app.clock.advance(3_700)
  await app.deliverDue()
  expect((await acme.get(`/emails/${kept.id}`)).body.last_event).toBe('scheduled')
  app.clock.advance(3_600)
  await app.deliverDue()

  expect((await acme.get(`/emails/${kept.id}`)).body.last_event).toBe('delivered')
  expect((await acme.get(`/emails/${canceled.id}`)).body.last_event).toBe('canceled')
  expect((await acme.post(`/emails/${kept.id}/cancel`)).status).toBe(422)
})
