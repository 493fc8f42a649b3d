import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { App, Client } from '../../../../test/harness/app.ts'
import { addWebhook, happen, startWithReceiver, statuses } from '../../../../test/harness/webhooks.ts'
import { OutgoingHttp } from '../../../adapters/outgoing-http/outgoing-http.ts'
import { createLog } from '../../../platform/observability/log.ts'
import { DISABLE_AFTER_SECONDS } from './settle.ts'
import { WebhookWorker } from './worker.ts'

const DAY = 86_400

const statusOf = async (client: Client, id: string) => (await client.get(`/webhooks/${id}`)).body.status

/** Something happens, and everything that is due is tried. */
async function aDay(app: App, client: Client) {
  app.clock.advance(DAY)
  await happen(app, client)
  await app.deliverWebhooks()
}

test('an endpoint for which nothing has succeeded for five days is disabled', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.fail()

  const days: string[] = []
  for (let day = 0; day <= 5; day++) {
    await aDay(app, acme)
    days.push(await statusOf(acme, id))
  }

  expect(DISABLE_AFTER_SECONDS).toBe(5 * DAY)
  expect(days).toEqual(['enabled', 'enabled', 'enabled', 'enabled', 'enabled', 'disabled'])
  expect((await acme.get('/audit-events?action=webhooks.disabled')).body.data).toMatchObject([
    { actor: { type: 'system' }, object_id: id, details: { endpoint: receiver.url } },
  ])
  const tried = receiver.received.length
  await aDay(app, acme)
  expect(receiver.received).toHaveLength(tried)
})

test('one success begins the count anew', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.fail()
  for (let day = 0; day < 4; day++) await aDay(app, acme)
  receiver.succeed()
  await aDay(app, acme)
  receiver.fail()
  for (let day = 0; day < 5; day++) await aDay(app, acme)

  expect(await statusOf(acme, id)).toBe('enabled')
  await aDay(app, acme)
  expect(await statusOf(acme, id)).toBe('disabled')
})

test('enabled again it gets another five days, and what has waited for it', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.fail()
  for (let day = 0; day <= 5; day++) await aDay(app, acme)
  expect(await statusOf(acme, id)).toBe('disabled')
  const waiting = Object.values(await statuses(acme, id)).filter((status) => status === 'pending').length

  await acme.patch(`/webhooks/${id}`, { status: 'enabled' })
  await aDay(app, acme)
  expect(await statusOf(acme, id)).toBe('enabled')
  receiver.succeed()
  await aDay(app, acme)

  expect(waiting).toBeGreaterThan(0)
  expect(Object.values(await statuses(acme, id))).not.toContain('pending')
})

test('the log of the process says which one was disabled', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.fail(410)
  const lines: string[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  const log = createLog({ level: 'warn', isTerminal: false, destination })
  const http = new OutgoingHttp({ allowPrivateAddresses: true })
  const worker = new WebhookWorker({ ...app.services, log, http })
  await happen(app, acme)

  await worker.runDue()
  await worker.stop(0)

  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ id, team: acme.team, endpoint: receiver.url })
})
