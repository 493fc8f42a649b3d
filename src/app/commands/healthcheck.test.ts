import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { loadConfig } from '../../platform/settings/config.ts'
import { OperatorError } from './command.ts'
import { healthcheck } from './healthcheck.ts'
import { localUrl } from './local-url.ts'

const check = (settings: Record<string, string>) =>
  healthcheck.run({ config: loadConfig(settings), environment: {}, words: [], flags: {}, print() {} })

const at = (port: number, host = '127.0.0.1') => ({ POSTWREN_PORT: String(port), POSTWREN_HOST: host })

async function answering(answer: RequestListener) {
  const server = createHttpServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('a service that is ready is', async () => {
  const app = await startApp()
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.server.address() as AddressInfo

  await check(at(port))
  await check(at(port, '0.0.0.0'))
})

test.each([
  [{ status: 'degraded', checks: { roles: 'missing' } }, null],
  [{ status: 'unavailable', checks: { database: 'away', service: 'ok' } }, 'Not ready: database away.'],
  [{ status: 'unavailable', checks: { service: 'stopping' } }, 'Not ready: service stopping.'],
  [{ hello: 'world' }, /^Not ready: what answers at http:\/\/127\.0\.0\.1:\d+\/readyz is not Postwren\.$/],
  ['x'.repeat(1_000_000), /is not Postwren\.$/],
])('what answers is told in one line: case %#', async (body, message) => {
  const port = await answering((_request, response) => response.end(JSON.stringify(body)))
  const checked = check(at(port))

  if (message === null) return expect(await checked).toBeUndefined()
  await expect(checked).rejects.toThrow(OperatorError)
  await expect(checked).rejects.toThrow(message)
})

test('nobody there, and nobody who knows where', async () => {
  await expect(check(at(1))).rejects.toThrow(
    /^Not ready: no answer from http:\/\/127\.0\.0\.1:1\/readyz \(ECONNREFUSED\)\.$/,
  )
  await expect(check(at(0))).rejects.toThrow('Not ready: POSTWREN_PORT is 0, so nobody knows where to ask.')
})

test('who answers nothing, or without end, is not listened to for longer than 5 s', async () => {
  const silent = await answering(() => {})
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const endless = (server.address() as AddressInfo).port

  const checked = await Promise.allSettled([silent, endless].map((port) => check(at(port))))

  for (const one of checked) expect(one).toMatchObject({ reason: { message: expect.stringMatching(/within 5 s\.$/) } })
})

test.each([
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['::1', 'http://[::1]:80'],
  ['192.0.2.1', 'http://192.0.2.1:80'],
])('what listens on %s is asked at %s', (HOST, url) => {
  expect(localUrl({ HOST, PORT: 80 })).toBe(url)
})
