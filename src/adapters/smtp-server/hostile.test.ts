import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'

// Around the dot, in place of CR LF dot CR LF.
const SMUGGLED = [
  '\n.\n',
  '\n.\r\n',
  '\r\n.\n',
  '\r.\r',
  '\r.\r\n',
  '\r\n.\r',
  '\r\n.\r\r\n',
  '\n.\r',
  '\r.\n',
  '\r\n\0.\r\n',
  '\r\n.\0\r\n',
]

test.each(SMUGGLED)('a message cannot carry another one behind %j', async (end) => {
  const { port, taken } = await startListener()
  const client = await TestClient.ready(port)

  await client.startMessage()
  client.write(
    `Subject: one\r\n\r\none${end}MAIL FROM:<evil@example.net>\r\nRCPT TO:<victim@example.com>\r\nDATA\r\nSubject: two\r\n\r\ntwo\r\n.\r\nNOOP\r\n`,
  )

  expect(await client.replies(2)).toEqual(['250 2.0.0 Queued as 1', '250 2.0.0 OK'])
  expect(taken.map(({ from, recipients }) => [from, recipients])).toEqual([['ada@example.org', ['bob@example.com']]])
  const text = taken[0]!.raw.toString()
  expect(text).toContain('MAIL FROM:<evil@example.net>')
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
})

test('the same in single bytes, each in a packet of its own', async () => {
  const { port, taken } = await startListener()
  const client = await TestClient.ready(port)

  await client.startMessage()
  for (const byte of Buffer.from('one\n.\nMAIL FROM:<evil@example.net>\r.\r\r\n.\nRSET\r\n..\r\n.\r\nNOOP\r\n')) {
    await new Promise((resolve) => client.socket.write(Buffer.from([byte]), resolve))
  }

  expect(await client.replies(2)).toEqual(['250 2.0.0 Queued as 1', '250 2.0.0 OK'])
  expect(taken.map(({ raw }) => raw.toString())).toEqual([
    'one\r\n.\r\nMAIL FROM:<evil@example.net> .\r\n\r\nRSET\r\n.\r\n',
  ])
})

test('what was sent along with STARTTLS is not heard', async () => {
  const { port, taken } = await startListener()
  const client = await TestClient.ready(port)

  client.write(`STARTTLS\r\nEHLO evil.test\r\nMAIL FROM:<evil@example.net>\r\n${'NOOP\r\n'.repeat(500)}`)
  expect(await client.reply()).toMatch(/^220 /)
  await client.encrypt()

  expect(await client.ask('RCPT TO:<bob@example.com>')).toBe('503 5.5.1 Error: send HELO/EHLO first')
  expect(await client.ask('EHLO client.test')).toContain('PIPELINING')
  expect(await client.ask('RCPT TO:<bob@example.com>')).toBe('503 5.5.1 Error: need MAIL command')
  expect(await client.deliver('Hi')).toMatch(/^250 /)
  expect(taken.map(({ from, peer }) => [from, peer.helo])).toEqual([['ada@example.org', 'client.test']])
})

test('who talks before the greeting is sent away', async () => {
  const { port } = await startListener()
  const client = TestClient.plain(port)
  client.write('EHLO spam.test\r\nMAIL FROM:<evil@example.net>\r\n')

  expect(await client.reply()).toMatch(/^421 .*too soon/)
  expect(await client.rest()).toBe('')
})

test('a web page that speaks HTTP to us is sent away', async () => {
  const { port } = await startListener()
  const client = TestClient.plain(port)
  await client.reply()

  client.write('POST / HTTP/1.1\r\nHost: mx.test\r\n\r\nEHLO a\r\nMAIL FROM:<a@b.test>\r\n')

  expect(await client.reply()).toMatch(/^421 /)
  expect(await client.rest()).toBe('')
})

test.each([
  'MAIL FROM:<ada\0@example.org>',
  'MAIL FROM:<ada\r@example.org>',
  'MAIL FROM:<ada@example.org>\rRCPT TO:<eve@example.com>',
  'MAIL FROM:<ada\u0085@example.org>',
  'MAIL FROM:<ada\u202e@example.org>',
  'MAIL FROM:<ada\x7f@example.org>',
  'MAIL FROM:<ada@exa mple.org>',
  'MAIL FROM:<ada@example.org> ENVID=a+0D+0Ab',
  'MAIL FROM:<ada@example.org> X-UNHEARD-OF=1',
  'MAIL FROM:<ada@example.org> <eve@example.com>',
  'MAIL FROM:<дмитрий@пример.испытание>',
  'MAIL FROM:<ada@пример.испытание>',
  'MAIL FROM:<a b@example.org>',
  'MAIL FROM:<a@b.test> SIZE=abc',
  'MAIL FROM:<a@b.test> SIZE=',
  'MAIL FROM:<a@b.test> BODY=',
  'MAIL FROM:<a@b.test> SMTPUTF8=1',
  'MAIL FROM:ada@example.org',
  'MAIL FROM:<@>',
  `MAIL FROM:<${'a'.repeat(300)}@example.org>`,
  'EHLO a\0b',
  `EHLO ${'a'.repeat(400)}`,
  'MAIL FROM:<a@b.test> SIZE=-1',
  'MAIL FROM:<a@b.test> SIZE=1e9',
  'MAIL FROM:<a@b.test> SIZE=1 SIZE=2',
  'MAIL FROM:<a@b.test> BODY=BINARYMIME',
])('%j is refused', async (line) => {
  const { port } = await startListener()
  const client = await TestClient.ready(port)

  expect(await client.ask(line)).toMatch(/^(501|553|555) 5|^501 Error: Bad hostname/)
  expect(await client.ask('RCPT TO:<bob@example.com>')).toMatch(/^503 /)
})

test('bytes that are no UTF-8 are no address', async () => {
  const { port } = await startListener()
  const client = await TestClient.ready(port)

  client.write(Buffer.from('MAIL FROM:<\xe9ve@example.org>\r\n', 'latin1'))

  expect(await client.reply()).toMatch(/^553 /)
})

test('a line without an end is not kept for ever', async () => {
  const { port } = await startListener()
  const client = await TestClient.ready(port)

  client.write('x'.repeat(40_000))

  expect(await client.reply()).toMatch(/^421 /)
})

test('who disappears in the middle of a message leaves nothing behind', async () => {
  const { port, taken, listener } = await startListener()
  const client = await TestClient.ready(port)
  await client.startMessage()
  client.write('x'.repeat(100_000))
  await expect.poll(() => listener.load.messageBytes).toBeGreaterThan(0)

  client.hangUp()

  await expect.poll(() => listener.load).toEqual({ sessions: 0, messageBytes: 0 })
  expect(taken).toEqual([])
})

test('whatever was said, and wherever it broke off, the next one is served', async () => {
  const { port, listener, lines } = await startListener({ allowPlaintextAuth: true, limits: { errors: 1_000 } })
  const word = fc.constantFrom(
    ...[
      'EHLO a\r\n',
      'MAIL FROM:<a@b.test>\r\n',
      'RCPT TO:<c@d.test>\r\n',
      'DATA\r\n',
      '.\r\n',
      '\r\n.\r\n',
      'STARTTLS\r\n',
    ],
    ...[
      'RSET\r\n',
      'BDAT 9\r\n',
      'BDAT 3 LAST\r\n',
      'AUTH LOGIN\r\n',
      'AUTH PLAIN AHgAc2VzYW1l\r\n',
      'QUIT\r\n',
      '\r\n',
      '\n',
      '\r',
      '.',
      '\0',
      '\x16\x03\x01',
      'FOO',
    ],
  )
  const piece = fc.oneof(
    { weight: 4, arbitrary: word.map((text) => Buffer.from(text, 'latin1')) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)) },
  )
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 25 }), fc.boolean(), async (pieces, isAbrupt) => {
    const client = TestClient.plain(port)
    await client.reply()
    for (const bytes of pieces) client.write(bytes)
    if (isAbrupt) client.socket.resetAndDestroy()
    else client.socket.end()
    await client.rest()
  })

  await fc.assert(property, { numRuns: 300 })

  expect(await (await TestClient.ready(port)).deliver('Hi')).toMatch(/^250 /)
  expect(lines.filter((line) => line.includes('"level":50'))).toEqual([])
  await expect.poll(() => listener.load).toEqual({ sessions: 1, messageBytes: 0 })
})
