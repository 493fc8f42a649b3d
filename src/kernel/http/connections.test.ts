import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { Connections } from './connections.ts'

function socketFrom(remoteAddress: string) {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    isOpen: true,
    destroy() {
      socket.isOpen = false
      socket.emit('close')
    },
  })
  return socket as unknown as Socket & { isOpen: boolean }
}

test('an address has its share of the connections; a proxy beside us may have them all', () => {
  const connections = new Connections({ inAll: 6, perAddress: 2 })
  const open = (address: string) => {
    const socket = socketFrom(address)
    connections.open(socket)
    return socket.isOpen
  }

  expect(['8.8.8.8', '8.8.8.8', '8.8.8.8', '8.8.4.4'].map(open)).toEqual([true, true, false, true])
  expect(['2600:1::1', '2600:1::2', '2600:1::3'].map(open)).toEqual([true, true, false])
  expect(connections.size).toBe(5)
  expect(Array.from({ length: 4 }, () => open('127.0.0.1'))).toEqual([true, true, true, true])
  expect(connections.size).toBe(6)
})

test('where there is no room, the connection that was idle for the longest time makes some', () => {
  const connections = new Connections({ inAll: 3, perAddress: 3 })
  const sockets = Array.from({ length: 3 }, () => socketFrom('127.0.0.1'))
  for (const socket of sockets) connections.open(socket)
  for (const socket of sockets.slice(0, 2)) connections.use(socket)
  connections.rest(sockets[0]!)

  const [next, afterNext, last] = Array.from({ length: 3 }, () => socketFrom('127.0.0.1'))
  connections.open(next!)
  connections.use(next!)
  connections.open(afterNext!)
  connections.use(afterNext!)
  connections.open(last!)

  expect(sockets.map(({ isOpen }) => isOpen)).toEqual([false, true, false])
  expect([next, afterNext, last].map((socket) => socket!.isOpen)).toEqual([true, true, false])
  expect(connections.size).toBe(3)
})

test('a connection on which nothing moves is closed', async () => {
  const { server } = await startApp()
  await server.listen({ port: 0, host: '127.0.0.1' })
  expect(server.server.timeout).toBe(60_000)
  expect(server.server.headersTimeout).toBeLessThanOrEqual(60_000)
  server.server.timeout = 100
  const { port } = server.server.address() as { port: number }

  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('POST /emails HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n')
  socket.resume()
  // A server that has not read what came, which on a busy machine may be, resets the connection.
  socket.on('error', () => {})

  await new Promise((resolve) => socket.on('close', resolve))
})
