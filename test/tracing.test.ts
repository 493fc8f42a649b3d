import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from '../src/kernel/db/sql.ts'
import { Batcher } from '../src/platform/concurrency/batcher.ts'
import type { Metrics } from '../src/platform/observability/metrics.ts'
import { tracing } from '../src/platform/observability/tracing.ts'
import { startApp } from './harness/app.ts'
import { arrive, receivingTeam, written } from './harness/arriving.ts'
import { broadcastTo, makeSegment, sendAll } from './harness/broadcasts.ts'
import { startCollector, traceInto, treeOf } from './harness/collector.ts'
import { addVerifiedDomain, emptyLedger, sendEmail, startAcme } from './harness/emails.ts'
import { readableLog } from './harness/log.ts'
import { startMailServer } from './harness/mail-server.ts'
import { startReceiver } from './harness/receiver.ts'
import { addWebhook, forgetAll } from './harness/webhooks.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const sampled = { traceparent: `00-${TRACE}-${CALLER}-01` }

async function startTraced(settings: Record<string, string> = {}) {
  const collector = await startCollector()
  const traced = await traceInto(collector, settings)
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  await forgetAll(app)
  const named = (name: string) => collector.spans.filter((span) => span.name === name)
  return { app, acme, collector, named, ...traced }
}

test('one trace goes from the caller over request, delivery and mail server to the webhook', async () => {
  const collector = await startCollector()
  const { stop } = await traceInto(collector)
  const relay = await startMailServer()
  const app = await startApp({ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: `smtp://127.0.0.1:${relay.port}` })
  await emptyLedger(app)
  await forgetAll(app)
  const acme = await app.as('acme')
  const name = `d-${Math.random().toString(36).slice(2)}.dev`
  await addVerifiedDomain(app, acme, name)
  const receiver = await startReceiver()
  await addWebhook(acme, `${receiver.url}/secret-path`, ['email.sent', 'email.delivered'])
  const email = { from: `hello@${name}`, to: 'ada@one.dev', subject: 'Top secret', text: 'Hush' }

  const { status, body } = await acme.post('/emails', email, sampled)
  await app.deliverDue()
  await app.deliverWebhooks()
  await stop()

  expect(status).toBe(200)
  expect(treeOf(collector.spans, TRACE)).toEqual({
    'POST /emails': {
      'email.accept': {
        'email.deliver': { 'email.settle': {}, 'smtp.send': {}, 'webhook.deliver email.delivered': {} },
        'webhook.deliver email.sent': {},
      },
    },
  })
  const of = (spanName: string) => collector.spans.find((span) => span.traceId === TRACE && span.name === spanName)!
  expect(of('POST /emails')).toMatchObject({
    parentSpanId: CALLER,
    attributes: { 'http.route': '/emails', 'http.response.status_code': 200, 'postwren.team.id': acme.team },
    resource: { 'service.name': 'postwren', 'service.version': '0.0.0' },
  })
  expect(of('email.deliver').attributes).toMatchObject({ 'postwren.email.id': body.id, 'postwren.attempt': 1 })
  expect(of('smtp.send').attributes).toMatchObject({
    'server.address': '127.0.0.1',
    'smtp.response.code': 250,
    'postwren.outcome': 'delivered',
  })
  const steps = of('smtp.send').events.map((event) => event.name)
  expect(steps).toEqual(['turn came', 'connecting', 'session open', 'message sent'])
  // The receiver can go on with the trace.
  const delivered = receiver.received.find(({ event }) => event.type === 'email.delivered')!
  const span = collector.spans.find((one) => one.attributes['postwren.event.type'] === 'email.delivered')!
  expect(delivered.headers.traceparent).toBe(`00-${TRACE}-${span.spanId}-01`)
  expect(collector.requests.every(({ path }) => path === '/v1/traces')).toBe(true)
  // Nobody who looks at traces learns who wrote what to whom.
  expect(collector.text()).not.toMatch(/ada@|hello@|secret|Hush|re_/i)
})

test('mail that is scheduled has a trace of its own when its time comes, with a link to the request', async () => {
  const { app, acme, collector, named, stop } = await startTraced()
  const receiver = await startReceiver()
  await addWebhook(acme, receiver.url, ['email.sent', 'email.delivered'])
  const at = new Date(app.clock.now().getTime() + 7_200_000).toISOString()
  await acme.post('/emails', { from: 'a@acme.dev', to: 'b@b.dev', subject: 's', text: 't', scheduled_at: at }, sampled)

  app.clock.advance(7_200)
  await app.deliverDue()
  await app.deliverWebhooks()
  await stop()

  expect(receiver.received).toHaveLength(2)
  const [delivery] = named('email.deliver')
  const [accepted] = named('email.accept')
  expect(accepted!.traceId).toBe(TRACE)
  expect(delivery!.traceId).not.toBe(TRACE)
  expect(delivery!.links).toEqual([{ traceId: TRACE, spanId: accepted!.spanId }])
  const inTrace = (traceId: string) => treeOf(collector.spans, traceId)
  expect(inTrace(TRACE)).toEqual({ 'POST /emails': { 'email.accept': {} } })
  expect(inTrace(delivery!.traceId)).toEqual({
    'email.deliver': { 'email.settle': {}, 'webhook.deliver email.delivered': {} },
  })
})

test('a received message is traced from its session over the job that reads it to the webhook', async () => {
  const { app, collector, named, stop } = await startTraced()
  const { client, domain } = await receivingTeam(app, 'acme')
  const receiver = await startReceiver()
  await addWebhook(client, receiver.url, ['email.received'])

  await arrive(app, written({ to: `desk@${domain}` }), { to: [`desk@${domain}`] })
  await app.runDueJobs()
  await app.deliverWebhooks()
  await stop()

  const [session] = named('smtp.receive')
  expect(treeOf(collector.spans, session!.traceId)).toEqual({
    'smtp.receive': { 'job received-emails.read': { 'webhook.deliver email.received': {} } },
  })
})

test('of a broadcast a few recipients have traces, each linked to it', async () => {
  const { app, acme, named, stop } = await startTraced()
  const contacts = Array.from({ length: 30 }, (_one, number) => ({ email: `c${number}@example.com` }))
  const segment = await makeSegment(acme, contacts)

  await broadcastTo(acme, segment)
  await sendAll(app)
  await stop()

  const deliveries = named('email.deliver')
  const [job] = named('job broadcasts.send')
  expect(deliveries.length).toBeGreaterThan(0)
  // Ten in a second; the copies may fall into two of them.
  expect(deliveries.length).toBeLessThanOrEqual(20)
  const link = { traceId: job!.traceId, spanId: job!.spanId }
  expect(deliveries.map(({ links }) => links)).toEqual(deliveries.map(() => [link]))
  expect(new Set(deliveries.map(({ traceId }) => traceId)).size).toBe(deliveries.length)
  expect(await tracedEmails(app, acme.team)).toBe(deliveries.length)
})

const tracedEmails = async ({ db }: Pick<Awaited<ReturnType<typeof startApp>>, 'db'>, team: string) => {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int from emails where team_id = ${team} and trace_context is not null`)
  return row!.count
}

test('whoever sends `traceparent` decides, and of the rest a share is sampled', async () => {
  const { app, acme, collector, named, stop } = await startTraced({ POSTWREN_TRACE_SAMPLING: '0' })
  const email = { from: 'a@acme.dev', to: 'b@b.dev', subject: 's', text: 't' }

  await acme.post('/emails', email)
  await acme.post('/emails', email, { traceparent: `00-${TRACE}-${CALLER}-00` })
  expect(await tracedEmails(app, acme.team)).toBe(0)
  await acme.post('/emails', email, sampled)
  await app.deliverDue()
  await stop()

  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]))
  expect(named('email.deliver')).toHaveLength(1)
})

test.each([
  'nonsense',
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  `ff-${TRACE}-${CALLER}-01`,
  `00-${TRACE}-${CALLER}-01-more`,
  `00-${TRACE.toUpperCase()}-${CALLER}-01`,
  'x'.repeat(8_000),
])('a `traceparent` that is none begins a new trace: %#', async (traceparent) => {
  const { acme, named, stop } = await startTraced()

  const { status } = await acme.get('/topics', { traceparent })
  await stop()

  expect(status).toBe(200)
  const [span] = named('GET /topics')
  expect([span!.parentSpanId, span!.traceId === TRACE]).toEqual([undefined, false])
})

test('a request that is refused has its status, and is no error of ours', async () => {
  const { acme, named, stop } = await startTraced()

  await acme.get('/topics/nonsense')
  await stop()

  const [span] = named('GET /topics/:id')
  expect([span!.attributes['http.response.status_code'], span!.status.code ?? 0]).toEqual([422, 0])
})

test('what is written together is in nobody’s trace', async () => {
  await startTraced()
  const batcher = new Batcher(async (items: readonly number[]) => items.map(() => tracing!.active), {
    maxItems: 10,
    maxWrites: 1,
  })
  const span = tracing!.begin('one')!

  const [active, inWrite] = await tracing!.run(span, () => Promise.all([tracing!.active, batcher.add(1)]))

  expect([active, inWrite]).toEqual([span, null])
})

test('headers go with every batch, and nowhere else', async () => {
  const { log, text } = readableLog('debug')
  const collector = await startCollector((response) => response.writeHead(500).end())
  const settings = { POSTWREN_OTLP_HEADERS: 'Authorization=Bearer%20hush-hush, X-Scope-OrgID=mail' }
  const { stop } = await traceInto(collector, settings, log)

  tracing!.begin('one')!.end()
  await stop()

  const [request] = collector.requests
  expect(request!.headers).toMatchObject({ authorization: 'Bearer hush-hush', 'x-scope-orgid': 'mail' })
  expect(text()).toContain('tracing: spans dropped')
  expect(text()).not.toContain('hush-hush')
})

const droppedIn = async (metrics: Metrics) =>
  Number(/^postwren_trace_spans_dropped_total (\d+)$/m.exec(await metrics.render())![1])

test('a collector that never answers costs spans and nothing else: they are counted, and warned of once', async () => {
  const { log, saying } = readableLog()
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as { port: number }
  const { stop, metrics } = await traceInto({ url: `http://127.0.0.1:${port}` }, {}, log)
  const { acme } = await startAcme()

  for (let count = 0; count < 10_000; count++) tracing!.begin('one')!.end()
  await sendEmail(acme)
  await stop(0)

  expect(await droppedIn(metrics)).toBeGreaterThanOrEqual(10_000)
  expect(saying('tracing: spans dropped')).toHaveLength(1)
})

test('a collector that is away is no different', async () => {
  const { stop, metrics } = await traceInto({ url: 'http://127.0.0.1:1' })
  const { acme } = await startAcme()

  await sendEmail(acme)
  await stop(100)

  expect(await droppedIn(metrics)).toBeGreaterThan(0)
})

test('what is off writes nothing: no header to webhooks, no context to any row', async () => {
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  await forgetAll(app)
  const receiver = await startReceiver()
  await addWebhook(acme, receiver.url, ['email.sent'])

  await acme.post('/emails', { from: 'a@acme.dev', to: 'b@b.dev', subject: 's', text: 't' }, sampled)
  await app.deliverWebhooks()

  expect(tracing).toBeNull()
  expect(receiver.received.map(({ headers }) => headers.traceparent)).toEqual([undefined])
  const rows = await app.db.query(sql`select from outbox where team_id = ${acme.team} and trace_context is not null`)
  expect([await tracedEmails(app, acme.team), rows]).toEqual([0, []])
})
