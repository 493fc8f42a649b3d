import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'

const PROXIES = ['10.0.0.0/8', 'loopback']
const lineFor = (address: string) => `PROXY TCP4 ${address} 192.0.2.1 40000 25\r\n`
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const binaryFor = (address: string) =>
  Buffer.concat([
    SIGNATURE,
    Buffer.from([0x21, 0x11, 0, 12]),
    Buffer.from([...address.split('.').map(Number), 192, 0, 2, 1, 0, 1, 0, 25]),
  ])
const LOCAL = Buffer.concat([SIGNATURE, Buffer.from([0x20, 0, 0, 0])])

/** Says what a proxy says, and then what its client does. */
async function through(port: number, header: string | Buffer) {
  const client = TestClient.plain(port)
  client.write(header)
  expect(await client.reply()).toBe('220 mx.test ESMTP')
  expect(await client.ask('EHLO client.test')).toMatch(/^250-/)
  return client
}

test.each([
  ['version 1', lineFor('203.0.113.9'), '203.0.113.9'],
  ['version 2', binaryFor('203.0.113.9'), '203.0.113.9'],
  ['a proxy that speaks for itself', LOCAL, '127.0.0.1'],
])('the client behind a proxy is who the header says: %s', async (_name, header, address) => {
  const { port, taken } = await startListener({ proxies: PROXIES })
  const client = await through(port, header)

  expect(await client.deliver('One')).toMatch(/^250 /)

  expect(taken.map(({ peer }) => peer.address)).toEqual([address])
})

test('a header may come byte by byte', async () => {
  const { port } = await startListener({ proxies: PROXIES })
  const client = TestClient.plain(port)
  for (const byte of binaryFor('203.0.113.9'))
    await new Promise((resolve) => client.socket.write(Buffer.from([byte]), resolve))

  expect(await client.reply()).toBe('220 mx.test ESMTP')
})

test.each(['together with the first bytes of TLS', 'before them'])(
  'the header comes in front of TLS: %s',
  async (how) => {
    const { tlsPort, taken } = await startListener({ proxies: PROXIES })
    const plain = TestClient.plain(tlsPort).socket
    plain.removeAllListeners('data')
    if (how === 'before them') await new Promise((resolve) => plain.write(lineFor('203.0.113.9'), resolve))
    else {
      plain.cork()
      plain.write(lineFor('203.0.113.9'))
    }
    const socket = connectTls({ socket: plain, rejectUnauthorized: false })
    onTestFinished(() => void socket.destroy())
    if (plain.writableCorked) setImmediate(() => plain.uncork())
    const said = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))

    expect(await said).toBe('220 mx.test ESMTP\r\n')
    socket.write('EHLO client.test\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n')
    socket.write('One\r\n.\r\n')
    await taken.reached(1)
    expect(taken[0]!.peer).toMatchObject({ address: '203.0.113.9', isEncrypted: true })
  },
)

test.each([
  ['no header', 'EHLO client.test\r\n'],
  ['a wrong one', 'PROXY TCP4 nonsense\r\n'],
  ['bytes', Buffer.from([0, 1, 2, 255])],
])('a trusted proxy with %s is hung up on, without a word to the dialogue', async (_name, bytes) => {
  const { port, lines } = await startListener({ proxies: PROXIES })
  const client = TestClient.plain(port)
  client.write(bytes)

  expect(await client.rest()).toBe('')
  expect(lines.some((line) => line.includes('smtp: connection of a proxy refused'))).toBe(true)
})

test('a proxy that says nothing is hung up on when its time is over, and one that leaves is nothing to talk about', async () => {
  const { port, lines, listener } = await startListener({ proxies: PROXIES, limits: { proxyHeaderMs: 20 } })
  const silent = TestClient.plain(port)
  expect(await silent.rest()).toBe('')
  expect(lines.join()).toContain('no PROXY header in time')

  const patient = await startListener({ proxies: PROXIES })
  const left = TestClient.plain(patient.port)
  left.socket.end()
  expect(await left.rest()).toBe('')
  expect(patient.lines.join()).not.toContain('refused')
  expect(listener.load.sessions).toBe(0)
})

test('who is no trusted proxy cannot say who they are', async () => {
  const { port, taken } = await startListener({ proxies: ['10.0.0.0/8'] })
  const client = TestClient.plain(port)
  client.write(`${lineFor('203.0.113.9')}EHLO client.test\r\n`)
  const said = await client.reply()
  // A header that is late by some packets is a command that nobody knows.
  expect(said.startsWith('220 ') ? await client.reply() : said).toMatch(/^421 4\.7\.0 Protocol error|^5\d\d /)
  const honest = await TestClient.ready(port)
  await honest.ask('PROXY TCP4 203.0.113.9 192.0.2.1 1 25')
  await honest.deliver('One')

  expect(taken.map(({ peer }) => peer.address)).toEqual(['127.0.0.1'])
})

test('limits go by the client, and what waits for a header is limited, too', async () => {
  const { port } = await startListener({ proxies: PROXIES, limits: { sessionsPerAddress: 1, sessions: 3 } })
  await through(port, lineFor('203.0.113.9'))
  await through(port, lineFor('203.0.113.10'))
  const second = TestClient.plain(port)
  second.write(lineFor('203.0.113.9'))
  expect(await second.reply()).toMatch(/^421 .*Too many connections/)

  const silent = Array.from({ length: 4 }, () => TestClient.plain(port))
  expect(await Promise.race(silent.map((client) => client.rest()))).toBe('')
})

test('the listener stops while proxies have not said whom they are for', async () => {
  const { port, listener } = await startListener({ proxies: PROXIES })
  const waiting = TestClient.plain(port)
  await through(port, lineFor('203.0.113.9'))

  await listener.stop(1_000)

  expect(await waiting.rest()).toBe('')
})
