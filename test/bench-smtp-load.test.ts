import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { submit } from '../bench/peers/smtp-load.ts'

const load = { connections: 6, amount: 20, envelope: { from: 'a@bench.dev', to: 'b@sink.dev' }, message: 'Subject: x' }

/** Says what `answerOf` says to each line, and counts the messages that ended. */
async function startServer(answerOf: (line: string) => string) {
  let messages = 0
  const lines: string[] = []
  const server = createServer((socket) => {
    let isData = false
    socket.on('error', () => {})
    socket.write('220 ready\r\n')
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        if (isData && line !== '.') continue
        if (line === '.') messages++
        lines.push(line)
        isData = line === 'DATA'
        socket.write(answerOf(line))
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, lines, messages: () => messages }
}

const friendly = (line: string) => {
  if (line.startsWith('EHLO')) return '250-server\r\n250-AUTH PLAIN\r\n250 PIPELINING\r\n'
  if (line.startsWith('AUTH')) return '235 in\r\n'
  return line === 'DATA' ? '354 go on\r\n' : '250 fine\r\n'
}

test('as many messages as asked for are handed over, on all connections', async () => {
  const server = await startServer(friendly)
  let isBegun = false
  await submit({ ...load, endpoint: { port: server.port, credentials: { username: 'u', password: 'p' } } }, () => {
    isBegun = true
  })

  expect(isBegun).toBe(true)
  expect(server.messages()).toBe(20)
  expect(server.lines.filter((line) => line.startsWith('EHLO'))).toHaveLength(6)
  expect(server.lines).toContain(`AUTH PLAIN ${Buffer.from('\0u\0p').toString('base64')}`)
})

test('a refusal ends the load with what the server said', async () => {
  const server = await startServer((line) => (line.startsWith('RCPT') ? '450 later\r\n' : friendly(line)))

  await expect(submit({ ...load, endpoint: { port: server.port, credentials: null } }, () => {})).rejects.toThrow(
    /450 later/,
  )
})

test('a server that closes ends the load', async () => {
  const server = createServer((socket) => socket.end('421 full\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo

  await expect(submit({ ...load, endpoint: { port, credentials: null } }, () => {})).rejects.toThrow(/421 full/)
})
