import { expect, test } from 'vitest'
import { startCollector, treeOf } from '../harness/collector.ts'
import { startReceiver } from '../harness/receiver.ts'
import { dataFolder, Service } from '../harness/service.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'

const TREE = {
  'POST /emails': {
    'email.accept': {
      'email.deliver': { 'email.settle': {}, 'webhook.deliver email.delivered': {} },
      'webhook.deliver email.sent': {},
    },
  },
}

/** Sends an email with a trace of the caller's, and waits until its webhooks have heard of it. */
async function sendTraced(api: Service) {
  const receiver = await startReceiver()
  const events = ['email.sent', 'email.delivered']
  const { status } = await api.call('POST', '/webhooks', { endpoint: receiver.url, events })
  const reply = await fetch(`${api.url}/emails`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.token}`,
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({ from: 'a@example.com', to: 'b@example.com', subject: 'Hello', text: 'Hi' }),
  })
  expect([status, reply.status]).toEqual([201, 200])
  await expect.poll(() => receiver.received.length).toBe(2)
}

test('a process traces an email that goes straight through, and sends what is left when it stops', async () => {
  const collector = await startCollector()
  const service = await Service.start({ settings: { POSTWREN_OTLP_URL: collector.url } })
  await sendTraced(service)

  expect(await service.stop()).toBe(0)

  expect(treeOf(collector.spans, TRACE)).toEqual(TREE)
})

test('a trace goes on from one process to the others', async () => {
  const collector = await startCollector()
  const dataDir = dataFolder()
  const start = (roles: string) =>
    Service.start({ dataDir, settings: { POSTWREN_ROLES: roles, POSTWREN_OTLP_URL: collector.url } })
  const api = await start('api')
  const others = [await start('delivery'), await start('jobs')]
  await sendTraced(api)

  for (const service of [...others, api]) expect(await service.stop()).toBe(0)

  expect(treeOf(collector.spans, TRACE)).toEqual(TREE)
  const own = collector.spans.filter(({ traceId }) => traceId === TRACE)
  const rolesOf = new Map(own.map(({ name, resource }) => [name, resource['postwren.roles']]))
  expect([rolesOf.get('POST /emails'), rolesOf.get('email.accept'), rolesOf.get('email.deliver')]).toEqual([
    'api',
    'api',
    'delivery',
  ])
  expect(rolesOf.get('webhook.deliver')).not.toBe('api')
})

test('a collector that never answers holds up no stop', async () => {
  const collector = await startCollector(() => {})
  const service = await Service.start({ settings: { POSTWREN_OTLP_URL: collector.url } })
  await sendTraced(service)

  expect(await service.stop()).toBe(0)
})
