import { expect, test } from 'vitest'
import { addWebhook, happen, startWithReceiver } from '../../../test/harness/webhooks.ts'

test('the health of a webhook tells how much fails, what came back last and how often it was tried', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const { id: idle } = await addWebhook(acme, receiver.url, ['topic.deleted'])
  const healthOf = async (webhook: string) =>
    (await acme.get('/webhooks/health')).body.data.find((one: { id: string }) => one.id === webhook)
  await happen(app, acme)
  await app.deliverWebhooks()

  expect(await healthOf(id)).toMatchObject({ events: 1, failed: 0, failing_since: null, last_status_code: 200 })

  receiver.fail(503)
  const [event] = await happen(app, acme)
  await app.deliverWebhooks()
  app.clock.advance(7)
  await app.deliverWebhooks()

  expect(await healthOf(id)).toEqual({
    ...{ id, events: 2, failed: 1, last_status_code: 503, max_attempts: 8 },
    failing_since: expect.any(String),
    last_attempt_at: expect.any(String),
    retries: [{ event_id: event, attempts: 2, next_attempt_at: expect.any(String) }],
  })
  expect(await healthOf(idle)).toEqual({
    ...{ id: idle, events: 0, failed: 0, last_status_code: null, max_attempts: 8 },
    ...{ failing_since: null, last_attempt_at: null, retries: [] },
  })
  const globex = await app.as('globex')
  expect((await globex.get('/webhooks/health')).body).toEqual({ object: 'list', data: [] })
})
