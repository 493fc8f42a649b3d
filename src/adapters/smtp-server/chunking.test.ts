import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'

const ENVELOPE = 'MAIL FROM:<ada@example.org>\r\nRCPT TO:<bob@example.com>\r\n'
const codes = (replies: readonly string[]) => replies.map((reply) => reply.slice(0, 3))

test('chunks come in one packet with their envelope, encrypted or not', async () => {
  const { port, tlsPort, taken } = await startListener()
  const encrypted = TestClient.encrypted(tlsPort)
  await encrypted.reply()
  await encrypted.ask('EHLO client.test')

  for (const client of [await TestClient.ready(port), encrypted]) {
    client.write(`${ENVELOPE}BDAT 12\r\nSubject: a\r\nBDAT 7 LAST\r\n\r\n.\r\nb\r${ENVELOPE}BDAT 0 LAST\r\nQUIT\r\n`)
    expect(codes(await client.replies(8))).toEqual(['250', '250', '250', '250', '250', '250', '250', '221'])
  }

  expect(taken.map(({ raw }) => raw.toString())).toEqual([
    ...['Subject: a\r\n\r\n.\r\nb\r\n', ''],
    ...['Subject: a\r\n\r\n.\r\nb\r\n', ''],
  ])
})

// Knows nothing of SMTP but what is written here: no library of ours or theirs has touched the bytes.
const PYTHON = `
import socket, sys
client = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
file = client.makefile('rb')
def reply():
    while True:
        line = file.readline()
        if line[3:4] != b'-':
            return line[:3].decode()
def say(data):
    client.sendall(data)
    return reply()
print(reply(), say(b'EHLO python.test\\r\\n'), say(b'MAIL FROM:<a@b.test> BODY=8BITMIME\\r\\n'), say(b'RCPT TO:<c@d.test>\\r\\n'))
body = b'Subject: bytes\\r\\n\\r\\n' + bytes(byte for byte in range(256) if byte not in b'\\r\\n') * 1000 + b'\\r\\n.\\r\\n'
half = len(body) // 2
print(say(b'BDAT %d\\r\\n' % half + body[:half]), say(b'BDAT %d LAST\\r\\n' % (len(body) - half) + body[half:]), say(b'QUIT\\r\\n'))
`

test.skipIf(spawnSync('python3', ['--version']).status !== 0)('a message of all bytes is what it was', async () => {
  const { port, taken } = await startListener()
  const python = spawn('python3', ['-', String(port)])
  python.stdin.end(PYTHON)

  expect(await text(python.stdout)).toBe('220 250 250 250\n250 250 221\n')

  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 10 && byte !== 13))
  const content = Buffer.concat(Array<Buffer>(1_000).fill(bytes))
  const expected = Buffer.concat([Buffer.from('Subject: bytes\r\n\r\n'), content, Buffer.from('\r\n.\r\n')])
  expect(taken[0]!.raw.equals(expected)).toBe(true)
})

test('a chunk that never arrives, and one that is never followed, are waited for as long as a message is', async () => {
  const { port, listener, taken } = await startListener({ limits: { silenceMs: 80, dataMs: 250 } })
  const clients = await Promise.all([1, 2, 3, 4].map(() => TestClient.ready(port)))
  const [missing, halfway, unwanted, busy] = clients as [TestClient, TestClient, TestClient, TestClient]
  missing.write(`${ENVELOPE}BDAT 10000\r\n${'x'.repeat(5_000)}`)
  halfway.write(`${ENVELOPE}BDAT 5000\r\n${'x'.repeat(5_000)}`)
  unwanted.write('BDAT 999999999\r\nx')
  busy.write(`${ENVELOPE}BDAT 5000\r\n${'x'.repeat(5_000)}`)
  const timer = setInterval(() => busy.write('NOOP\r\nBDAT 1\r\nx'), 10)

  const rests = await Promise.all(clients.map((client) => client.rest()))
  clearInterval(timer)

  for (const rest of rests) expect(rest).toMatch(/421 4\.4\.2 Too slow, closing the connection\r\n$/)
  expect(taken).toEqual([])
  await expect.poll(() => listener.load).toEqual({ sessions: 0, messageBytes: 0 })
})

test('when we stop, a message in chunks is taken to its end', async () => {
  const { port, listener, taken } = await startListener()
  const goesOn = await TestClient.ready(port)
  const givesUp = await TestClient.ready(port)
  for (const client of [goesOn, givesUp]) {
    client.write(`${ENVELOPE}BDAT 2\r\na\n`)
    await client.replies(3)
  }

  const stopped = listener.stop(10_000)
  goesOn.write('BDAT 2 LAST\r\nb\nNOOP\r\n')
  givesUp.write('RSET\r\nNOOP\r\n')

  expect(codes(await goesOn.replies(2))).toEqual(['250', '421'])
  expect(codes(await givesUp.replies(2))).toEqual(['250', '421'])
  await stopped
  expect(taken.map(({ raw }) => raw.toString())).toEqual(['a\r\nb\r\n'])
})

test('chunks find no room where messages find none, and are read past', async () => {
  const gate = makeGate()
  const { port, listener } = await startListener({
    maxMessageBytes: 300_000,
    limits: { memoryBytes: 400_000 },
    handler: {
      take: async () => {
        await gate.opened
        return { kind: 'accepted', message: 'Taken' }
      },
    },
  })
  const first = await TestClient.ready(port)
  const second = await TestClient.ready(port)
  first.write(`${ENVELOPE}BDAT 250000 LAST\r\n${'x'.repeat(250_000)}`)
  await first.replies(2)
  await expect.poll(() => listener.load.messageBytes).toBeGreaterThanOrEqual(250_000)

  second.write(`${ENVELOPE}BDAT 200000\r\n${'x'.repeat(200_000)}BDAT 5 LAST\r\nQUIT\n${ENVELOPE}`)
  expect(codes(await second.replies(6))).toEqual(['250', '250', '452', '452', '250', '250'])
  gate.open()
  expect(await first.reply()).toBe('250 2.0.0 Taken')
  second.write('BDAT 3 LAST\r\nHi\n')
  expect(await second.reply()).toBe('250 2.0.0 Taken')
  expect(listener.load.messageBytes).toBe(0)
})
