import type { Steps } from '../steps.ts'
import { decodeBase64 } from './base64.ts'
import { CR, EQUALS, LF, SPACE, TAB } from './bytes.ts'
import { inPieces } from './pieces.ts'
import { decodeUuencode } from './uuencode.ts'

const UUENCODE = ['x-uuencode', 'x-uue', 'uuencode', 'uue']

export function isUuencode(encoding: string): boolean {
  return UUENCODE.includes(encoding)
}

const DECODERS: ReadonlyMap<string, (content: Buffer) => Steps<Buffer>> = new Map([
  ['base64', decodeBase64],
  ['quoted-printable', decodeQuotedPrintable],
  ...UUENCODE.map((name) => [name, decodeUuencode] as const),
])

/** The content as it was before it was encoded for transport. What is not encoded is not copied. */
export function* decodeTransfer(content: Buffer, encoding: string): Steps<Buffer> {
  const decode = DECODERS.get(encoding)
  return decode ? yield* decode(content) : content
}

/** What is not well encoded stays as it is. White space at the end of a line was added on the way (RFC 2045, 6.7). */
function* decodeQuotedPrintable(content: Buffer): Steps<Buffer> {
  const decoded = Buffer.allocUnsafe(content.length)
  let decodedLength = 0
  /** Without the white space at the end, which is taken away when the line ends there. */
  let keptLength = 0

  function read(start: number, end: number): number {
    let length = decodedLength
    let trimmed = keptLength
    let i = start
    for (; i < end; i += 1) {
      const byte = content[i]!
      if (byte === LF || byte === CR) {
        if (byte === LF || content[i + 1] === LF) length = trimmed
        decoded[length++] = byte
        trimmed = length
      } else if (byte !== EQUALS) {
        decoded[length++] = byte
        if (byte !== SPACE && byte !== TAB) trimmed = length
      } else {
        const hex = (hexDigit(content[i + 1]) << 4) | hexDigit(content[i + 2])
        const lineBreak = hex < 0 ? softBreakEnd(content, i + 1) : -1
        if (lineBreak >= 0) i = lineBreak - 1
        else if (hex >= 0) i += 2
        if (lineBreak < 0) decoded[length++] = hex >= 0 ? hex : EQUALS
        trimmed = length
      }
    }
    decodedLength = length
    keptLength = trimmed
    return i
  }

  yield* inPieces(content.length, read)
  return decoded.subarray(0, decodedLength)
}

/** More white space than this behind `=` is not what somebody added on the way. */
const MAX_TRAILING_SPACES = 1_000

/** Where the text goes on behind `=` and the line break, or -1 when it is no line break. */
function softBreakEnd(content: Buffer, start: number): number {
  let i = start
  while ((content[i] === SPACE || content[i] === TAB) && i - start < MAX_TRAILING_SPACES) i += 1
  if (i === content.length || content[i] === LF) return i + 1
  return content[i] === CR && content[i + 1] === LF ? i + 2 : -1
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
