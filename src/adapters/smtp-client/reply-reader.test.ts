import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplyReader } from './reply-reader.ts'

function read(packets: readonly Buffer[], allowedBytes = 1_000_000) {
  const reader = new ReplyReader()
  reader.allow(allowedBytes)
  const read = packets.map((packet) => reader.read(packet))
  return {
    replies: read.flatMap((replies) => replies ?? []),
    isTooLong: read.includes(null),
    cutOff: reader.cutOff(),
  }
}

const readText = (text: string) => read([Buffer.from(text)])

test.each([
  ['one line', '250 2.0.0 Ok\r\n', [{ code: 250, text: '250 2.0.0 Ok' }]],
  ['a code alone', '354\r\n', [{ code: 354, text: '354' }]],
  ['several lines', '250-mail.test\r\n250-\r\n250 SIZE\r\n', [{ code: 250, text: '250-mail.test\n250-\n250 SIZE' }]],
  [
    'several replies',
    '250 a\r\n550-b\r\n550 c\r\n354 d\r\n',
    [
      { code: 250, text: '250 a' },
      { code: 550, text: '550-b\n550 c' },
      { code: 354, text: '354 d' },
    ],
  ],
  ['a line feed alone', '250-a\n250 b\n', [{ code: 250, text: '250-a\n250 b' }]],
  ['empty lines, which answer nothing', '\r\n \r\n250 a\r\n\r\n', [{ code: 250, text: '250 a' }]],
  ['what is no reply', 'mumble\r\n', [{ code: 0, text: 'mumble' }]],
  ['letters beyond ASCII', '250 schön 你好\r\n', [{ code: 250, text: '250 schön 你好' }]],
  ['half a reply', '250-a\r\n250 b', []],
])('%s', (_what, text, replies) => {
  expect(readText(text).replies).toEqual(replies)
})

test('bytes that are no UTF-8 stay what they are', () => {
  expect(read([Buffer.from('550 sch\xf6n\r\n', 'latin1')]).replies).toEqual([{ code: 550, text: '550 sch\xf6n' }])
})

test.each([
  ['554 Go away', '554 Go away'],
  ['554-Go\r\n554 away', '554-Go\n554 away'],
  ['250 O', null],
  ['55', null],
  ['554 Go away\r\n', null],
  ['', null],
])('what was cut off in %j is %j', (text, cutOff) => {
  expect(readText(text).cutOff).toBe(cutOff)
})

test('nothing said before is part of what is said after it was discarded', () => {
  const reader = new ReplyReader()
  reader.allow(1_000)
  reader.read(Buffer.from('250-STARTTLS\r\n250-AUTH PLA'))

  reader.discard()

  expect(reader.read(Buffer.from('250 mail.test\r\n'))).toEqual([{ code: 250, text: '250 mail.test' }])
})

const packetsOf = (bytes: Buffer, cuts: readonly number[]) => {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}
const replyText = fc.array(
  fc.tuple(fc.constantFrom('250', '354', '421', '550', 'xyz', ''), fc.constantFrom('-', ' ', ''), fc.string()),
)
const cuts = fc.array(fc.nat(), { maxLength: 30 })

test('however a server’s bytes are cut into packets, its replies are the same', () => {
  fc.assert(
    fc.property(replyText, cuts, (lines, at) => {
      const bytes = Buffer.from(lines.map((parts) => `${parts.join('')}\r\n`).join(''))
      expect(read(packetsOf(bytes, at))).toEqual(read([bytes]))
    }),
  )
})

test('any bytes can be read, and never more of them than allowed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), cuts, fc.nat(400), (bytes, at, allowed) => {
      const packets = packetsOf(Buffer.from(bytes), at)
      const { replies, isTooLong } = read(packets, allowed)

      expect(replies.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(allowed)
      expect(isTooLong).toBe(bytes.length > allowed)
    }),
  )
})
