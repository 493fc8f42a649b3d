import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import type { Exchange, Reason } from './exchange.ts'
import { ProxyServer } from './proxy-server.ts'
import { MirrorQueue } from './queue.ts'
import { openUpstream } from './upstream.ts'

const KEY = { authorization: 'Bearer re_upstream_key' }

/** The proxy before an upstream of the test's own. Our side takes what it gets and says nothing about it. */
async function startProxy(upstreamUrl: string) {
  const exchanges: Exchange[] = []
  const uncompared: Reason[] = []
  const upstream = openUpstream(upstreamUrl)
  const queue = new MirrorQueue({
    judge: async (exchange) => {
      exchanges.push(exchange)
      return { operation: 'x', verdict: { kind: 'same', extras: [] } }
    },
    onJudged() {},
    onLost() {},
  })
  const { server } = new ProxyServer({
    ...{ upstream, queue, clock: systemClock, isOneTeam: false },
    keyHashSecret: () => Buffer.alloc(32, 1),
    onUncompared: ({ reason }) => uncompared.push(reason),
    answerOwn: (_request, response) => void response.end('own'),
  })
  await listening(server)
  onTestFinished(() => upstream.close())
  const { port } = server.address() as AddressInfo
  return { port, exchanges, uncompared, settled: () => queue.whenIdle() }
}

async function listening(server: ReturnType<typeof createServer> | ReturnType<typeof createTcpServer>) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const startUpstream = (answer: RequestListener) => listening(createServer(answer))

interface Answer {
  readonly status: number
  readonly rawHeaders: string[]
  readonly body: Buffer
}

function call(port: number, options: RequestOptions, body?: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ...options }, async (answer) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of answer) chunks.push(chunk as Buffer)
      } catch (error) {
        return reject(error)
      }
      resolve({ status: answer.statusCode!, rawHeaders: answer.rawHeaders, body: Buffer.concat(chunks) })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const echo = async (message: IncomingMessage, response: ServerResponse) => {
  const body = await bodyOf(message)
  const facts = { method: message.method, url: message.url, headers: message.rawHeaders, body: body.toString() }
  response.end(JSON.stringify(facts))
}

test('the upstream gets what the client sent, and its own name as the host', async () => {
  const upstream = await startUpstream(echo)
  const { port, exchanges, settled } = await startProxy(upstream)
  const headers = {
    ...KEY,
    'Content-Type': 'application/json',
    'X-Odd-Case': 'ä b',
    Connection: 'close, X-Hop',
    'X-Hop': '1',
    TE: 'trailers',
  }
  const { body } = await call(
    port,
    { method: 'PATCH', path: '/emails/a%20b?x=1&x=2', headers },
    Buffer.from('{"a": 1}'),
  )
  await settled()

  const seen = JSON.parse(body.toString())
  expect(seen).toMatchObject({ method: 'PATCH', url: '/emails/a%20b?x=1&x=2', body: '{"a": 1}' })
  expect(seen.headers).toEqual(
    expect.arrayContaining(['Host', upstream.slice(7), 'X-Odd-Case', 'authorization', KEY.authorization]),
  )
  expect(seen.headers).not.toEqual(expect.arrayContaining(['X-Hop']))
  expect(seen.headers).not.toEqual(expect.arrayContaining(['TE']))
  expect(exchanges).toMatchObject([
    { method: 'PATCH', path: '/emails/a%20b?x=1&x=2', requestHeaders: { 'content-type': 'application/json' } },
  ])
  expect(JSON.stringify(exchanges)).not.toContain('re_upstream_key')
})

test('the client gets the answer byte for byte: status, headers in their order, encoded body', async () => {
  const packed = gzipSync('{"object":"list"}')
  const upstream = await startUpstream((_message, response) => {
    response.sendDate = false
    response.writeHead(418, 'Short and stout', [
      ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Resend-Monthly-Quota', '7'],
      ...['Content-Encoding', 'gzip', 'Content-Type', 'application/json', 'Content-Length', String(packed.length)],
    ])
    response.end(packed)
  })
  const { port, exchanges, settled } = await startProxy(upstream)
  const answer = await call(port, { path: '/x', headers: KEY })
  await settled()

  expect(answer.status).toBe(418)
  expect(answer.body).toEqual(packed)
  expect(answer.rawHeaders.slice(0, 12)).toEqual([
    ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Resend-Monthly-Quota', '7'],
    ...['Content-Encoding', 'gzip', 'Content-Type', 'application/json', 'Content-Length', String(packed.length)],
  ])
  expect(exchanges[0]!.answerHeaders).toEqual({ 'content-type': 'application/json', 'content-encoding': 'gzip' })
})

test.each([
  ['HEAD', 200],
  ['OPTIONS', 204],
  ['GET', 304],
  ['GET', 307],
])('%s with %i has no body, and no redirect is followed', async (method, status) => {
  const asked: string[] = []
  const upstream = await startUpstream((message, response) => {
    asked.push(message.url!)
    response.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end()
  })
  const { port } = await startProxy(upstream)
  const answer = await call(port, { method, path: '/emails', headers: KEY })

  expect([answer.status, answer.body.length, asked]).toEqual([status, 0, ['/emails']])
})

test('a body without a length is passed on in pieces, before it has ended', async () => {
  const upstream = await startUpstream((message, response) => void message.pipe(response))
  const { port } = await startProxy(upstream)
  const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/emails', headers: KEY })
  sent.write('first')
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const [first] = await once(answer, 'data')
  sent.end('second')
  const rest = await bodyOf(answer)

  expect(`${first}|${rest}`).toBe('first|second')
})

test('an upstream that cannot be reached is a 502 that names it', async () => {
  const closed = createTcpServer()
  const url = await listening(closed)
  closed.close()
  const { port, uncompared } = await startProxy(url)
  const { status, body } = await call(port, { method: 'POST', path: '/emails', headers: KEY }, Buffer.from('{}'))

  expect(status).toBe(502)
  expect(JSON.parse(body.toString())).toEqual({
    statusCode: 502,
    message: `The upstream ${url} could not be reached (ECONNREFUSED).`,
    name: 'application_error',
  })
  expect(uncompared).toEqual(['upstream_failed'])
})

test('an answer that is cut off is cut off for the client', async () => {
  const upstream = await startUpstream((_message, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half', () => response.destroy())
  })
  const { port, uncompared } = await startProxy(upstream)

  await expect(call(port, { path: '/x', headers: KEY })).rejects.toMatchObject({ code: 'ECONNRESET' })
  await expect.poll(() => uncompared).toEqual(['incomplete'])
})

test('a client that goes away ends the call at the upstream', async () => {
  let gone = () => {}
  const left = new Promise<void>((resolve) => {
    gone = resolve
  })
  let asked = () => {}
  const arrived = new Promise<void>((resolve) => {
    asked = resolve
  })
  const upstream = await startUpstream((message) => {
    message.socket.on('close', gone)
    asked()
  })
  const { port, uncompared } = await startProxy(upstream)
  const sent = request({ host: '127.0.0.1', port, path: '/slow', headers: KEY })
  sent.on('error', () => {})
  sent.end()
  await arrived
  sent.destroy()
  await left

  await expect.poll(() => uncompared).toEqual(['incomplete'])
})

test('a connection that the upstream has closed meanwhile fails no read, and no write that has an idempotency key', async () => {
  const sockets: Socket[] = []
  let answers = 0
  // Answers once on each connection, and drops it at the next request without a word.
  const upstream = createTcpServer((socket) => {
    sockets.push(socket)
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', () => {
      if (++requests > 1) return socket.resetAndDestroy()
      answers++
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    })
  })
  const { port } = await startProxy(await listening(upstream))
  const headers = { ...KEY, 'idempotency-key': 'one', 'content-length': '2' }
  const statuses = [
    (await call(port, { path: '/a', headers: KEY })).status,
    (await call(port, { path: '/b', headers: KEY })).status,
    (await call(port, { method: 'POST', path: '/emails', headers }, Buffer.from('{}'))).status,
  ]
  for (const socket of sockets) socket.destroy()

  expect(statuses).toEqual([200, 200, 200])
  expect(answers).toBe(3)
})

test.each(['http://127.0.0.1:1/emails', '*', '/../admin', '/emails/%2e%2e/x', '/a/./b'])(
  'no way leads elsewhere: %s',
  async (path) => {
    const asked: string[] = []
    const upstream = await startUpstream((message, response) => {
      asked.push(message.url!)
      response.end()
    })
    const { port } = await startProxy(upstream)
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const answer = (await bodyOf(socket as unknown as IncomingMessage)).toString()

    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(asked).toEqual([])
  },
)

test('the path of the upstream comes before each call', async () => {
  const upstream = await startUpstream(echo)
  const { port } = await startProxy(`${upstream}/api/`)

  expect(JSON.parse((await call(port, { path: '/emails', headers: KEY })).body.toString()).url).toBe('/api/emails')
})

test('the largest email passes and is mirrored; a larger one passes', async () => {
  const upstream = await startUpstream(async (message, response) => {
    let bytes = 0
    for await (const chunk of message) bytes += (chunk as Buffer).length
    response.end(JSON.stringify({ bytes }))
  })
  const { port, exchanges, uncompared, settled } = await startProxy(upstream)
  const send = async (bytes: number) =>
    (await call(port, { method: 'POST', path: '/emails', headers: KEY }, Buffer.alloc(bytes, 'x'))).body.toString()
  const [largest, larger] = [54 * 1024 * 1024, 70 * 1024 * 1024]

  expect([await send(largest), await send(larger)]).toEqual([`{"bytes":${largest}}`, `{"bytes":${larger}}`])
  await settled()
  expect(exchanges.map(({ requestBody }) => requestBody.length)).toEqual([largest])
  expect(uncompared).toEqual(['too_large'])
})

test.each(['ftp://x', 'nonsense', 'https://user:key@host', 'https://host/?a=1'])('no upstream: %s', (url) => {
  expect(() => openUpstream(url)).toThrow('--upstream must be')
})
