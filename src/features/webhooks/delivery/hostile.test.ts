import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Seams } from '../../../../test/harness/app.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import type { Received, Receiver } from '../../../../test/harness/receiver.ts'
import {
  addWebhook,
  attemptsOf,
  happen,
  patientHttp,
  startWithReceiver,
  statuses,
} from '../../../../test/harness/webhooks.ts'
import { createResolver } from '../../../adapters/dns/resolver.ts'
import { OutgoingHttp } from '../../../adapters/outgoing-http/outgoing-http.ts'
import { MAX_RESPONSE_BYTES } from './attempt.ts'

/** One event told to an endpoint; what the log says about the attempt. */
async function tell(answer: Parameters<Receiver['answer']>[0], seams: Seams = {}) {
  const { app, acme, receiver } = await startWithReceiver(seams)
  const { id } = await addWebhook(acme, receiver.url)
  receiver.answer(answer)
  const [event] = await happen(app, acme)
  await app.deliverWebhooks()
  const [attempt, ...others] = await attemptsOf(acme, id, event!)
  expect(others).toEqual([])
  return {
    status: (await statuses(acme, id))[event!],
    code: attempt!.http_status_code,
    response: attempt!.response,
    webhook: (await acme.get(`/webhooks/${id}`)).body.status,
  }
}

test.each([200, 201, 202, 204, 299])('%i is a success', async (status) => {
  expect(await tell((response) => response.writeHead(status).end())).toMatchObject({ status: 'success', code: status })
})

test.each([400, 401, 404, 418, 429, 500, 502, 503])('%i is a failure that is tried again', async (status) => {
  expect(await tell((response) => response.writeHead(status).end('why'))).toEqual({
    status: 'pending',
    code: status,
    response: 'why',
    webhook: 'enabled',
  })
})

test.each([301, 302, 303, 307, 308])('%i is a failure, and nobody follows it', async (status) => {
  const followed: Received[] = []
  const outcome = await tell((response, received) => {
    if (received.path === '/elsewhere') followed.push(received)
    response.writeHead(status, { location: '/elsewhere' }).end()
  })

  expect(outcome).toMatchObject({ status: 'pending', code: status })
  expect(followed).toEqual([])
})

test('410 says that the endpoint wants nothing any more: the event has failed, and the webhook is disabled', async () => {
  expect(await tell((response) => response.writeHead(410).end('gone'))).toEqual({
    status: 'failed',
    code: 410,
    response: 'gone',
    webhook: 'disabled',
  })
})

test.each<[string, Parameters<typeof tell>[0]]>([
  ['never answers', () => {}],
  ['begins with its answer and does not come to an end', (response) => response.writeHead(200).write('a')],
])('an endpoint that %s has not taken the event', async (_what, answer) => {
  expect(await tell(answer, { http: patientHttp(400) })).toEqual({
    status: 'pending',
    code: 0,
    response: 'no answer within 400 ms',
    webhook: 'enabled',
  })
})

test('an endpoint that hangs up has not taken the event', async () => {
  expect(await tell((_response, _received, request) => request.socket.resetAndDestroy())).toMatchObject({
    status: 'pending',
    code: 0,
    response: expect.stringMatching(/\w/),
  })
})

test('of an answer without end the first 64 KB are kept, and what it begins with counts', async () => {
  const outcome = await tell((response) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
      response.once('drain', more)
    }
    more()
  })

  expect(outcome).toMatchObject({ status: 'success', code: 200 })
  expect(outcome.response).toBe('x'.repeat(MAX_RESPONSE_BYTES))
})

test('an answer may be any bytes', async () => {
  const outcome = await tell((response) => response.end(Buffer.from([0x61, 0, 0xff, 0xe4, 0x62, 0xf0, 0x9f])))

  expect(outcome).toMatchObject({ status: 'success', response: 'a��b�' })
})

/** Bytes instead of an HTTP server. */
async function startSocketServer(converse: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    converse(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

test.each<[string, (socket: Socket) => void]>([
  ['says something that is not HTTP', (socket) => socket.write('220 mail ESMTP\r\n')],
  ['sends headers without end', (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n`)],
  ['sends its headers byte by byte', (socket) => socket.once('data', () => socket.write('HTTP/1.1 200'))],
  ['closes at once', (socket) => socket.end()],
])('a server that %s has not taken the event', async (_what, converse) => {
  const { app, acme } = await startWithReceiver({ http: patientHttp(400) })
  const { id } = await addWebhook(acme, await startSocketServer(converse))
  const [event] = await happen(app, acme)

  await app.deliverWebhooks()

  expect(await statuses(acme, id)).toEqual({ [event!]: 'pending' })
  expect(await attemptsOf(acme, id, event!)).toMatchObject([{ http_status_code: 0, response: expect.any(String) }])
})

test('endpoints that hang do not hold up the one that answers', async () => {
  // None of them is given up while this goes on, however long it takes here.
  const { app, acme, receiver } = await startWithReceiver({ http: patientHttp(120_000) })
  receiver.answer((response, { path }) => path === '/well' && response.end())
  for (let n = 0; n < 10; n++) await addWebhook(acme, `${receiver.url}/hangs/${n}`)
  await addWebhook(acme, `${receiver.url}/well`)
  await app.webhooks.start()
  await happen(app, acme, 100)
  app.db.signals.announce('outbox')

  while (receiver.at('/well').length < 100) await receiver.reached(receiver.received.length + 1)

  // Their first attempts are under way, and none has begun with more.
  expect(receiver.received.length - 100).toBeLessThanOrEqual(50)
})

/** Listens on loopback, as most servers do behind a proxy. */
const BEHIND_A_PROXY = { POSTWREN_PUBLIC_URL: 'https://post.example', POSTWREN_PRIVATE_ADDRESSES: 'auto' }

test('on a server that the world can reach, private addresses are refused', async () => {
  const { app, acme, receiver } = await startWithReceiver({}, BEHIND_A_PROXY)
  const { id } = await addWebhook(acme, receiver.url)
  const [event] = await happen(app, acme)

  await app.deliverWebhooks()

  expect(await attemptsOf(acme, id, event!)).toMatchObject([
    { http_status_code: 0, response: '127.0.0.1 is not a public address' },
  ])
  expect(receiver.received).toEqual([])
})

test('a name that was public and turns private is refused when we go there', async () => {
  const dns = await startDnsServer()
  const resolver = createResolver({ servers: [dns.address], tries: 1 })
  // Loopback plays the public address here, and 10.0.0.1 the machine next door.
  const http = new OutgoingHttp({
    allowPrivateAddresses: false,
    isPublic: (address) => address === '127.0.0.1',
    async addressesOf(name) {
      const answer = await resolver.lookup(name, 'A')
      return answer.kind === 'found' ? answer.records : []
    },
  })
  const { app, acme, receiver } = await startWithReceiver({ http })
  receiver.answer((response) => response.writeHead(200, { connection: 'close' }).end())
  const { id } = await addWebhook(acme, `http://rebind.example:${receiver.port}/`)
  dns.set('rebind.example', { A: ['127.0.0.1'] })
  const [before] = await happen(app, acme)
  await app.deliverWebhooks()

  dns.set('rebind.example', { A: ['10.0.0.1'] })
  const [after] = await happen(app, acme)
  await app.deliverWebhooks()

  expect(await statuses(acme, id)).toEqual({ [before!]: 'success', [after!]: 'pending' })
  expect(await attemptsOf(acme, id, after!)).toMatchObject([
    { http_status_code: 0, response: 'rebind.example is not a public address' },
  ])
  expect(receiver.received).toHaveLength(1)
})
