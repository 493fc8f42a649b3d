import { expect, test } from 'vitest'
import { startReceiver, verify } from '../../harness/receiver.ts'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

const EVENT_ID = /^msg_[0-9a-f-]{36}$/

export function webhookTests(context: SdkContext) {
  test('a webhook is created, shown with its secret, changed, listed and removed', async () => {
    const { webhooks } = context.resend

    const created = await dataOf(webhooks.create({ endpoint: 'https://example.com/hook', events: ['email.sent'] }))
    expect(created).toEqual({
      object: 'webhook',
      id: expect.any(String),
      signing_secret: expect.stringMatching(/^whsec_/),
    })
    const { id, signing_secret } = created
    const shown = { id, status: 'enabled', endpoint: 'https://example.com/hook', events: ['email.sent'] }
    const created_at = expect.stringMatching(TIMESTAMP)
    expect(await dataOf(webhooks.get(id))).toEqual({ object: 'webhook', ...shown, created_at, signing_secret })
    expect((await dataOf(webhooks.list())).data[0]).toEqual({ ...shown, created_at })
    expect(await dataOf(webhooks.update(id, { events: ['email.bounced'], status: 'disabled' }))).toEqual({
      object: 'webhook',
      id,
    })
    expect(await dataOf(webhooks.get(id))).toMatchObject({ status: 'disabled', events: ['email.bounced'] })

    expect(await dataOf(webhooks.remove(id))).toEqual({ object: 'webhook', id, deleted: true })
    expect(await errorOf(webhooks.get(id))).toEqual({
      statusCode: 404,
      message: 'Webhook not found',
      name: 'not_found',
    })
  })

  test('an application on the same machine hears of an email a moment after it was sent, and can check who says so', async () => {
    const { webhooks, emails } = context.resend
    const receiver = await startReceiver()
    const { id, signing_secret } = await dataOf(
      webhooks.create({ endpoint: `${receiver.url}/hook`, events: ['email.sent', 'email.delivered'] }),
    )
    const to = freshAddress('hook')

    const email = await dataOf(
      emails.send({ from: 'a@acme.dev', to, subject: 'Hello', text: 'Hi', tags: [{ name: 'kind', value: 'test' }] }),
    )
    await receiver.reached(2)

    for (const post of receiver.received) expect(verify(post, signing_secret)).toEqual(post.event)
    const told = Object.fromEntries(receiver.received.map(({ event }) => [event.type, event.data]))
    expect(told).toEqual({
      'email.sent': expect.objectContaining({ email_id: email.id, to: [to], tags: { kind: 'test' } }),
      'email.delivered': expect.objectContaining({ email_id: email.id, to: [to], tags: { kind: 'test' } }),
    })
    await dataOf(webhooks.remove(id))
  })

  test('the log tells what was delivered, and an event can be had once more', async () => {
    const { webhooks, topics } = context.resend
    const receiver = await startReceiver()
    const created = await dataOf(webhooks.create({ endpoint: receiver.url, events: ['topic.created'] }))
    const webhookId = created.id
    await dataOf(topics.create({ name: 'Told', defaultSubscription: 'opt_in' }))
    await receiver.reached(1)
    const [post] = receiver.received
    const eventId = post!.id
    await context.service.stored(
      async () => (await dataOf(webhooks.events.list({ webhookId }))).data[0]?.status === 'success',
    )

    const log = await dataOf(webhooks.events.list({ webhookId, limit: 1 }))
    expect(log).toEqual({
      object: 'list',
      has_more: false,
      data: [
        {
          ...{ id: eventId, type: 'topic.created', created_at: expect.stringMatching(TIMESTAMP), status: 'success' },
          ...{ is_test: false, failed_attempts: 0, next_attempt_at: null },
          ...{ last_status_code: 200, last_duration_ms: expect.any(Number) },
        },
      ],
    })
    expect(eventId).toMatch(EVENT_ID)
    expect((await dataOf(webhooks.events.list({ webhookId, after: eventId }))).data).toEqual([])
    expect(await dataOf(webhooks.events.get({ webhookId, eventId }))).toEqual({
      object: 'webhook_event',
      ...log.data[0],
      next_attempt_at: null,
      payload: post!.event,
    })

    expect(await dataOf(webhooks.events.replay({ webhookId, eventId }))).toEqual({
      object: 'webhook_event',
      id: eventId,
    })
    await receiver.reached(2)
    expect(receiver.received[1]).toMatchObject({ id: eventId, body: post!.body })
    await context.service.stored(
      async () => (await dataOf(webhooks.events.attempts.list({ webhookId, eventId }))).data.length === 2,
    )
    const attempts = await dataOf(webhooks.events.attempts.list({ webhookId, eventId, limit: 1 }))
    expect(attempts).toEqual({
      object: 'list',
      has_more: true,
      data: [
        {
          id: expect.stringMatching(/^atmpt_/),
          http_status_code: 200,
          duration_ms: expect.any(Number),
          response: 'thanks',
          sent_at: expect.stringMatching(TIMESTAMP),
        },
      ],
    })
    await dataOf(webhooks.remove(webhookId))
  })

  test('after a rotation both secrets check what comes', async () => {
    const { webhooks, topics } = context.resend
    const receiver = await startReceiver()
    const { id, signing_secret: old } = await dataOf(
      webhooks.create({ endpoint: receiver.url, events: ['topic.created'] }),
    )

    const rotated = await dataOf(webhooks.rotateSigningSecret(id))
    await dataOf(topics.create({ name: 'Signed twice', defaultSubscription: 'opt_in' }))
    await receiver.reached(1)

    expect(rotated).toEqual({ object: 'webhook', id, signing_secret: expect.stringMatching(/^whsec_/) })
    for (const secret of [old, rotated.signing_secret]) verify(receiver.received[0]!, secret)
    await dataOf(webhooks.remove(id))
  })

  test('mistakes with webhooks are told', async () => {
    const { webhooks } = context.resend
    const unknown = { statusCode: 404, name: 'not_found', message: 'Webhook not found' }
    const event = { webhookId: NOBODY, eventId: `msg_${NOBODY}` }

    expect(await errorOf(webhooks.create({ endpoint: 'example.com', events: ['email.sent'] }))).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
      message: expect.stringContaining('`endpoint`'),
    })
    expect(await errorOf(webhooks.create({ endpoint: 'https://example.com', events: [] }))).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
    })
    expect(await errorOf(webhooks.update(NOBODY, { status: 'enabled' }))).toMatchObject(unknown)
    expect(await errorOf(webhooks.remove(NOBODY))).toMatchObject(unknown)
    expect(await errorOf(webhooks.rotateSigningSecret(NOBODY))).toMatchObject(unknown)
    expect(await errorOf(webhooks.events.list({ webhookId: NOBODY }))).toMatchObject(unknown)
    expect(await errorOf(webhooks.events.get(event))).toMatchObject(unknown)
    expect(await errorOf(webhooks.events.replay(event))).toMatchObject(unknown)
    expect(await errorOf(webhooks.events.attempts.list(event))).toMatchObject(unknown)
  })

  test('a webhook of another team does not exist', async () => {
    const { id } = await dataOf(
      context.neighbour.webhooks.create({ endpoint: 'https://example.com', events: ['email.sent'] }),
    )

    expect(await errorOf(context.resend.webhooks.get(id))).toMatchObject({ statusCode: 404 })
  })
}
