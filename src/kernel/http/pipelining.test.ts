import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Client } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { boundPipelining } from './pipelining.ts'

const GET = 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n'

/** The most requests that were parsed and not answered at any moment. */
function watchInFlight(server: Server) {
  const seen = { now: 0, most: 0, all: 0 }
  server.on('request', (_request, response) => {
    seen.all++
    seen.most = Math.max(seen.most, ++seen.now)
    response.on('close', () => seen.now--)
  })
  return seen
}

const LAST = 'GET /last HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'

/** Sends all of it and a last request, and gives what came back. */
async function exchange(server: Server, ...parts: string[]) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  for (const part of parts) {
    socket.write(part)
    await new Promise(setImmediate)
  }
  socket.write(LAST)
  return text(socket)
}

async function serve(answer: (request: IncomingMessage) => Promise<string>) {
  const server = createServer((request, response) => void answer(request).then((said) => response.end(said)))
  boundPipelining(server)
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return server
}

const countOf = (word: string, all: string) => all.split(word).length - 1

test('however many requests come at once on a connection, a handful of them is in hand', async () => {
  const { server: app } = await startApp()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const seen = watchInFlight(app.server)

  const answers = await exchange(app.server, GET.repeat(500))

  expect(countOf('200 OK', answers)).toBe(500)
  expect(seen.all).toBe(501)
  expect(seen.most).toBeLessThanOrEqual(4)
})

test('requests that Node refuses by itself take turns, too', async () => {
  const server = await serve(async () => '')
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)

  const answers = await exchange(server, 'GET / HTTP/1.1\r\nhost: a\r\nexpect: more\r\n\r\n'.repeat(400))
  isOver = true

  expect(countOf('417 Expectation', answers)).toBe(400)
  expect(turns).toBeGreaterThan(100)
})

test('bodies are what was sent, whatever is in them and however they are cut', async () => {
  const server = await serve(async (request) => `${request.url}:${await text(request)};`)
  const seen = watchInFlight(server)
  const blank = '\r\n\r\n'.repeat(300)
  const sized = (name: string, body: string) =>
    `POST /${name} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const chunked = (name: string, body: string) =>
    `POST /${name} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const requests = [
    sized('a', blank),
    chunked('b', blank),
    sized('c', 'x'),
    chunked('d', GET.repeat(20)),
    sized('e', ''),
  ]
  const all = requests.join('').repeat(20)
  const expected = `${`/a:${blank};/b:${blank};/c:x;/d:${GET.repeat(20)};/e:;`.repeat(20)}/last:;`
  // The answers without their heads.
  const bodies = (answers: string) =>
    answers
      .replace(/HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r]*\r\n)+\r\n(?:[0-9a-f]+\r\n)?/g, '')
      .replace(/;\r\n0\r\n\r\n/g, ';')

  for (const cut of [7, 64, all.length - 3, all.length])
    expect(bodies(await exchange(server, all.slice(0, cut), all.slice(cut)))).toBe(expected)
  expect(seen.all).toBe(4 * 101)
  expect(seen.most).toBeLessThan(20)
})

test('a client that pipelines gets its answers in their order', async () => {
  const { server: app } = await startApp()
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const client = new Client(url, { pipelining: 10 })
  onTestFinished(() => client.destroy())

  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const { statusCode, body } = await client.request({ method: 'GET', path: n % 2 ? '/livez' : '/emails' })
      await body.dump()
      return statusCode
    }),
  )

  expect(statuses).toEqual(Array.from({ length: 200 }, (_, n) => (n % 2 ? 200 : 401)))
})
