import fc from 'fast-check'
import { expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import { DataReader } from './data-reader.ts'

/** What is read from the pieces: the message, what was behind it, or null when it did not end. */
function read(pieces: readonly Buffer[]): { message: string; rest: string | null } {
  const content: Buffer[] = []
  const reader = new DataReader((bytes) => content.push(Buffer.from(bytes)))
  for (const [index, piece] of pieces.entries()) {
    const end = reader.read(piece)
    if (end < 0) continue
    const rest = Buffer.concat([piece.subarray(end), ...pieces.slice(index + 1)])
    return { message: Buffer.concat(content).toString('latin1'), rest: rest.toString('latin1') }
  }
  return { message: Buffer.concat(content).toString('latin1'), rest: null }
}

const readText = (text: string) => read([Buffer.from(text, 'latin1')])

test.each([
  ['a message', 'Subject: x\r\n\r\nhi\r\n.\r\n', 'Subject: x\r\n\r\nhi\r\n'],
  ['nothing at all', '.\r\n', ''],
  ['a doubled dot', '..\r\n..a\r\na..\r\n.\r\n', '.\r\n.a\r\na..\r\n'],
  ['a dot that should have been doubled', '.a\r\n.\r\n', 'a\r\n'],
  ['a CR before the end', 'a\r\r\n.\r\n', 'a\r\n'],
  ['bytes that are no text', '\0\xff\x80\r\n\0\r\n.\r\n', '\0\xff\x80\r\n\0\r\n'],
])('%s is read', (_what, text, message) => {
  expect(readText(`${text}QUIT\r\n`)).toEqual({ message, rest: 'QUIT\r\n' })
})

// Each line end that is not CR LF, on each side of the dot, and some that look like it.
const WRONG_ENDS = ['\n', '\r', '\r\r', '\n\r', '\0\r\n', ' \r\n', '\r\0\n', '']
const smuggled = [
  ...WRONG_ENDS.flatMap((first) => ['\r\n', ...WRONG_ENDS].map((second) => [first, second] as const)),
  ...WRONG_ENDS.map((second) => ['\r\n', second] as const),
  ['\r\n', '\r\r\n'] as const,
].filter(([first, second]) => !(first.endsWith('\r\n') && second === '\r\n'))

test.each(smuggled)('%j, a dot and %j do not end a message', (first, second) => {
  const { message, rest } = readText(`Subject: a\r\n\r\nb${first}.${second}MAIL FROM:<evil@test>\r\n.\r\nQUIT\r\n`)

  expect(message).toContain('MAIL FROM:<evil@test>\r\n')
  expect(rest).toBe('QUIT\r\n')
})

test.each([
  ['a\nb', 'a\r\nb'],
  ['a\n\nb', 'a\r\n\r\nb'],
  ['a\r\r\nb', 'a\r\nb'],
  ['a\rb', 'a b'],
  ['a\r\rb', 'a b'],
  ['a\n\rb', 'a\r\n b'],
  ['a\n..b', 'a\r\n.b'],
  ['a\n.b', 'a\r\n.b'],
  ['a\n.\nb', 'a\r\n.\r\nb'],
  ['a\r\n.\nb', 'a\r\n\r\nb'],
  ['a\r..b', 'a ..b'],
])('%j is normalised to %j', (text, message) => {
  expect(readText(`${text}\r\n.\r\n`).message).toBe(`${message}\r\n`)
})

const awkward = fc
  .array(fc.constantFrom('\r', '\n', '.', '\r\n', '\r\n.', '..', '\r\n.\r\n', 'a', '\0'), { maxLength: 30 })
  .map((parts) => parts.join(''))

test('what is read does not depend on how it was cut', () => {
  const property = fc.property(awkward, fc.array(fc.nat(40)), (text, cuts) => {
    const bytes = Buffer.from(text)
    const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
    const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))

    const whole = read([bytes])
    expect(read(pieces.filter((piece) => piece.length > 0))).toEqual(whole)
    expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole)
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('a message ends where CR LF dot CR LF is first, and nowhere else', () => {
  const property = fc.property(awkward, (text) => {
    const end = `\r\n${text}`.indexOf('\r\n.\r\n')

    expect(readText(text).rest).toBe(end < 0 ? null : text.slice(end + 3))
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('what is handed on has no line end but CR LF, and stuffed text comes out as it was', () => {
  const property = fc.property(awkward, (text) => {
    const { message } = readText(`${text}\r\n.\r\n`)
    expect(message.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)

    const clean = `${text.replace(/\r\n|\r|\n/g, '\r\n')}\r\n`
    const stuffed = clean.replace(/^\./gm, '..')
    expect(readText(`${stuffed}.\r\n`).message).toBe(clean)
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('line ends or dots take time for their length', () => {
  for (const hostile of ['\n', '\r', '..\r\n', '\n.', '\r\n']) {
    // Larger than any chunk of a socket: searched over and over it takes many minutes.
    const chunk = Buffer.from(hostile.repeat((2 * 1024 * 1024) / hostile.length))
    const reader = new DataReader(() => {})

    expect(terminates(() => reader.read(chunk))).toBe(-1)
  }
})
