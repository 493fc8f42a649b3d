import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { MAX_FORM_BYTES, MAX_UNAUTHENTICATED_BYTES } from '../src/kernel/http/unread.ts'
import { type App, startApp } from './harness/app.ts'
import { signedIn } from './harness/browser-session.ts'

/** All that the server answers, as the framework itself knows it: a route that is added tomorrow is in it. */
function routesOf({ server }: App): { method: string; path: string }[] {
  const above: string[] = []
  const lines = server.printRoutes({ commonPrefix: false }).split('\n')
  return lines.flatMap((line) => {
    const [, indent, segment, methods] = /^([│ ]*)[├└]── (\S+)(?: \((.+)\))?/.exec(line) ?? []
    if (indent === undefined || segment === undefined) return []
    above.splice(indent.length / 4, above.length, segment)
    const path = above.join('').replace(/:\w+/g, 'x').replace('*', 'x')
    return methods?.split(', ').map((method) => ({ method, path })) ?? []
  })
}

async function listen(app: App) {
  const sockets = new Map<number, Socket>()
  app.server.server.on('connection', (socket) => sockets.set(socket.remotePort!, socket))
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.server.address() as AddressInfo
  return { port, socketOf: (client: Socket) => sockets.get(client.localPort!)! }
}

const CHUNK = Buffer.alloc(65_536, '[')
const AS_CHUNK = Buffer.concat([Buffer.from('10000\r\n'), CHUNK, Buffer.from('\r\n')])

/** Sends as fast as it is taken, and tells what was answered and how much the server has read by the end. */
async function flood(
  { port, socketOf }: Awaited<ReturnType<typeof listen>>,
  request: { method: string; path: string; type: string; isChunked: boolean },
) {
  const client = connect(port, '127.0.0.1')
  await once(client, 'connect')
  let answer = ''
  client.on('data', (bytes) => {
    answer += bytes.toString('latin1')
  })
  client.on('error', () => {})
  const length = request.isChunked ? 'transfer-encoding: chunked' : `content-length: ${100 * 1024 * 1024}`
  client.write(
    `${request.method} ${request.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${request.type}\r\n${length}\r\n\r\n`,
  )
  const socket = await socketWhenThere(() => socketOf(client))
  const send = () => {
    while (
      client.writable &&
      client.bytesWritten < 32 * 1024 * 1024 &&
      client.write(request.isChunked ? AS_CHUNK : CHUNK)
    );
  }
  client.on('drain', send)
  send()
  // Not `once`: a connection that is cut while it is written to ends with an error, and that is what is to happen here.
  const closed = (one: Socket) =>
    new Promise<void>((resolve) => void (one.closed ? resolve() : one.on('close', () => resolve())))
  await Promise.all([closed(client), closed(socket)])
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]), read: socket.bytesRead }
}

async function socketWhenThere(find: () => Socket | undefined): Promise<Socket> {
  for (;;) {
    const socket = find()
    if (socket) return socket
    await new Promise(setImmediate)
  }
}

test('nobody reads what a stranger sends beyond 128 kB, at no address', async () => {
  const app = await startApp()
  const server = await listen(app)
  // The framework shows a star without what is in front of it: that is a request which is none, and is here as it should be.
  const unlisted = ['/no/such/address', '/api/v1/x'].map((path) => ({ method: 'POST', path }))
  const routes = [...routesOf(app), ...unlisted]
  const requests = routes.flatMap((route) =>
    ['application/json', 'text/plain'].flatMap((type) =>
      [true, false].map((isChunked) => ({ ...route, type, isChunked })),
    ),
  )

  expect(routes.length).toBeGreaterThan(100)
  const seen = new Set(routes.map(({ path }) => path))
  for (const path of ['/emails', '/dashboard/frame', '/dashboard/session', '/health', '/unsubscribe/x', '/c/x'])
    expect([...seen]).toContain(path)
  while (requests.length > 0)
    await Promise.all(
      requests.splice(0, 40).map(async (request) => {
        const { status, read } = await flood(server, request)
        // A form that does not say how long it is must be read to be known; it ends within the next that the kernel hands over.
        const isForm = request.method === 'POST' && request.isChunked
        // And as much as it hands over at once stays in the socket, where nobody looks at it.
        const most = 2 * MAX_UNAUTHENTICATED_BYTES + (isForm ? MAX_FORM_BYTES : 0)

        expect([request, status]).toEqual([request, expect.any(Number)])
        expect([request, status >= 400 && status < 500]).toEqual([request, true])
        expect([request, read > most ? read : 'little']).toEqual([request, 'little'])
      }),
    )
})

test('a frame is for somebody who is signed in, on our own page, and for a form', async () => {
  const app = await startApp()
  const somebody = await signedIn(app, (await app.as('acme')).token)
  const form = { 'content-type': 'text/plain' }
  const post = (headers: Record<string, string>, payload = 'html=<p>hello</p>') =>
    app.send({ method: 'POST', url: '/dashboard/frame', payload, headers: { host: 'localhost:4025', ...headers } })
  const ours = { cookie: somebody.cookie, origin: 'http://localhost:4025' }

  expect((await post(form)).status).toBe(401)
  expect((await post({ ...form, cookie: somebody.cookie })).status).toBe(403)
  expect((await post({ ...form, ...ours, origin: 'http://localhost:3000' })).status).toBe(403)
  expect((await post({ ...ours, 'content-type': 'application/json' })).status).toBe(415)
  expect((await post({ ...ours, 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415)
  expect((await post({ ...form, ...ours })).text).toBe('<p>hello</p>')
  expect((await post({ ...form, ...ours, 'content-length': String(17 * 1024 * 1024) })).status).toBe(413)
})
