import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startSession, talk } from '../../../test/harness/smtp-session.ts'

const ENVELOPE = 'EHLO client.test\r\nMAIL FROM:<ada@example.org>\r\nRCPT TO:<bob@example.com>\r\n'
const ENVELOPE_REPLIES = 3

/** The codes of what was said after the envelope. */
const codesOf = (text: string) =>
  text
    .split('\r\n')
    .filter((line) => /^\d{3} /.test(line))
    .slice(ENVELOPE_REPLIES)
    .map((line) => line.slice(0, 3))

test('what comes together is answered together, in order', async () => {
  const { written } = await talk([
    'EHLO client.test\r\n',
    'MAIL FROM:<ada@example.org>\r\nRCPT TO:<bob@example.com>\r\nRCPT TO:<nobody@example.com>\r\nDATA\r\n',
    'Hi\r\n.\r\nRSET\r\nNOOP\r\nQUIT\r\nNOOP\r\n',
  ])

  expect(written.slice(1)).toEqual([
    '250 2.1.0 Accepted\r\n250 2.1.5 Accepted\r\n550 5.1.1 Nobody here\r\n354 End data with <CR><LF>.<CR><LF>\r\n',
    // Who has not heard that a message was taken sends it again, so nothing else is waited for.
    '250 2.0.0 Queued as 1\r\n',
    '250 2.0.0 Flushed\r\n250 2.0.0 OK\r\n221 2.0.0 Bye\r\n',
  ])
})

test('many commands are answered in pieces that fit', async () => {
  const { written } = await talk(['NOOP\r\n'.repeat(2_000)])

  expect(written.join('')).toBe('250 2.0.0 OK\r\n'.repeat(2_000))
  for (const piece of written) expect(piece.length).toBeLessThan(5_000)
})

test('who never reads our replies is not waited for', async () => {
  let isGreeted = false
  const { session, transport, limits, written } = await startSession(() =>
    isGreeted ? new Promise<void>(() => {}) : undefined,
  )
  isGreeted = true

  session.parser.write('NOOP\r\n'.repeat(2_000))
  await written.until(() => expect(written.length).toBe(1))

  expect(transport.deadline.isOver(performance.now() + limits.commandMs)).toBe(true)
  session.timeOut()
  expect(transport.isClosed).toBe(true)
  expect(written.at(-1)).toContain('421 4.4.2 ')
})

test('a message in chunks is taken as it is, dots and all', async () => {
  const { text, mails } = await talk([
    `${ENVELOPE}BDAT 12\r\nSubject: a\r\nBDAT 11\r\n\r\n.\r\n..b\r\n.BDAT 0 LAST\r\nMAIL FROM:<>\r\n`,
  ])

  expect(codesOf(text)).toEqual(['250', '250', '250', '250'])
  expect(text).toContain('250 2.0.0 12 bytes received\r\n')
  expect(mails).toEqual([['Subject: a\r\n\r\n.\r\n..b\r\n.\r\n', 'ada@example.org', ['bob@example.com']]])
})

test.each([
  ['a\nb\r\n', 'a\r\nb\r\n'],
  ['a\n.\nb', 'a\r\n.\r\nb\r\n'],
  ['a\r\n.\r\nMAIL FROM:<evil@example.net>\r\n', 'a\r\n.\r\nMAIL FROM:<evil@example.net>\r\n'],
  ['a\r.\rb\r\r\n', 'a . b\r\n'],
  ['a\r', 'a\r\n'],
  ['..', '..\r\n'],
  ['', ''],
  ['\0\xff', '\0\xff\r\n'],
])('the chunk %j is the message %j, however it is cut', async (content, message) => {
  for (let size = 1; size <= Math.max(1, content.length); size++) {
    const chunks = Array.from({ length: Math.ceil(content.length / size) }, (_, n) =>
      Buffer.from(content.slice(n * size, (n + 1) * size), 'latin1'),
    )
    const lines = chunks.flatMap((chunk) => [`BDAT ${chunk.length}\r\n`, chunk])

    const { mails, text } = await talk([ENVELOPE, ...lines, 'BDAT 0 LAST\r\n'])

    expect(mails.map(([raw]) => raw)).toEqual([message])
    expect(codesOf(text)).toEqual(Array(chunks.length + 1).fill('250'))
  }
})

test('chunks that nobody wants are read past, and the session goes on', async () => {
  const evil = 'MAIL FROM:<evil@example.net>\r\n'
  const { text, mails } = await talk([
    `EHLO client.test\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<nobody@example.com>\r\nBDAT 30\r\n${evil}`,
    `RCPT TO:<bob@example.com>\r\nBDAT 30 LAST\r\n${evil}BDAT 30 LAST\r\n${evil}`,
    `${ENVELOPE}BDAT 3 LAST\r\na\r\n`,
  ])

  expect(codesOf(text)).toEqual([...['503', '503', '503', '503'], ...['250', '250', '250', '250']])
  expect(mails.map(([raw]) => raw)).toEqual(['a\r\n'])
})

test('RSET throws away what has come, and DATA cannot be mixed with it', async () => {
  const { text, mails, usedBytes } = await talk([
    `${ENVELOPE}BDAT 5000\r\n${'x'.repeat(5_000)}DATA\r\nRSET\r\n`,
    'MAIL FROM:<>\r\nRCPT TO:<bob@example.com>\r\nDATA\r\nHi\r\n.\r\n',
    `MAIL FROM:<>\r\nRCPT TO:<bob@example.com>\r\nBDAT 5000\r\n${'x'.repeat(5_000)}`,
  ])

  expect(codesOf(text)).toEqual(['250', '503', '250', ...['250', '250', '354', '250'], ...['250', '250', '250']])
  expect(mails.map(([raw]) => raw)).toEqual(['Hi\r\n'])
  // The last one was cut off.
  expect(usedBytes).toBe(0)
})

test('a header in chunks has the limits of any, and what follows it is refused alike', async () => {
  const { text, mails, usedBytes } = await talk([
    `${ENVELOPE}BDAT 12006\r\n${'X: y\r\n'.repeat(2_001)}BDAT 2 LAST\r\n\r\nNOOP\r\n`,
  ])

  expect(text).toContain('552 5.3.4 Message header exceeds 524288 bytes or 2000 fields\r\n')
  expect(codesOf(text)).toEqual(['552', '552', '250'])
  expect(mails).toEqual([])
  expect(usedBytes).toBe(0)
})

test('more than the limit is read past, in one chunk or in many', async () => {
  const half = `BDAT 600002\r\n\r\n${'x\r\n'.repeat(200_000)}`
  const { text, usedBytes } = await talk([
    `${ENVELOPE}${half}${half}BDAT 2 LAST\r\n\r\n`,
    `${ENVELOPE}BDAT 1000001 LAST\r\n${'x'.repeat(1_000_001)}NOOP\r\n`,
  ])

  expect(codesOf(text)).toEqual([...['250', '552', '552'], ...['250', '250', '250'], ...['552', '250']])
  expect(usedBytes).toBe(0)
})

const word = fc.constantFrom(
  ...['EHLO a\r\n', 'MAIL FROM:<a@b.test>\r\n', 'RCPT TO:<c@d.test>\r\n', 'RCPT TO:<nobody@d.test>\n', 'DATA\r\n'],
  ...[
    'a\r\n',
    '.\r\n',
    '\r\n.\r\n',
    '\n.\n',
    '\r',
    '\n',
    'BDAT 5\r\n',
    'BDAT 0 LAST\r\n',
    'BDAT 3 LAST\r\n',
    'BDAT x\r\n',
  ],
  ...[
    'BDAT 5\r\n12345',
    'BDAT 9 LAST\r\nA: b\r\n\r\nc',
    'RSET\r\n',
    'AUTH LOGIN\r\n',
    'bWU=\r\n',
    '*\r\n',
    'QUIT\r\n',
    '\0',
  ],
)
const opening = fc.constantFrom('', ENVELOPE, `${ENVELOPE}DATA\r\n`)
const stream = fc
  .tuple(
    opening.map((text) => Buffer.from(text)),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: word.map((text) => Buffer.from(text, 'latin1')) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
      ),
      { maxLength: 30 },
    ),
  )
  .map(([begin, pieces]) => Buffer.concat([begin, ...pieces]))

test('what is said and taken does not depend on the packets in which the client talks', async () => {
  const property = fc.asyncProperty(stream, fc.array(fc.nat(400), { maxLength: 12 }), async (bytes, cuts) => {
    const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
    const packets = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
    const { text, mails, isClosed } = await talk([bytes])

    expect(await talk(packets)).toMatchObject({ text, mails, isClosed, usedBytes: 0 })
    expect(await talk([...bytes].map((byte) => Buffer.from([byte])))).toMatchObject({ text, mails, isClosed })
  })
  await fc.assert(property, { numRuns: 50 })
})
