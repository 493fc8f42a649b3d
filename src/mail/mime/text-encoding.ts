import { isAscii } from '../ascii.ts'
import type { Chunk } from './chunk.ts'
import { isAtLineEnd, isEscaped, quotedPrintable, startsWithFrom } from './quoted-printable.ts'

const LINE_END = /\r\n|\r|\n/g
const [LF, EQUALS, LONGEST_LINE] = [0x0a, 0x3d, 998]

/** Bytes in the transfer encoding that suits them. The last line has no line end. */
export interface Encoded {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  readonly content: Chunk
}

/** As it is when every server must let it pass, else the shorter of the two encodings. */
export function encodeText(text: string): Encoded {
  const bytes = Buffer.from(text.replace(LINE_END, '\r\n'))
  const { isSafe, escapes } = survey(bytes)
  if (isSafe) return { encoding: '7bit', content: bytes }
  // An escape adds two bytes, base64 adds a third of everything.
  if (escapes * 6 > bytes.length) return { encoding: 'base64', content: { base64: bytes } }
  return { encoding: 'quoted-printable', content: quotedPrintable(bytes, escapes) }
}

/** A message inside a message must not be encoded (RFC 2046, 5.2.1): with clean line ends, or null when that is not enough. */
export function encodeMessage(message: Buffer): Encoded | null {
  const text = message.toString('latin1').replace(LINE_END, '\r\n')
  const isSafe =
    isAscii(text) && !text.includes('\0') && text.split('\r\n').every((line) => line.length <= LONGEST_LINE)
  return isSafe ? { encoding: '7bit', content: text } : null
}

/** What is in the way of sending the bytes as they are, and how many of them quoted-printable would escape. */
function survey(bytes: Buffer): { isSafe: boolean; escapes: number } {
  let escapes = 0
  let equalSigns = 0
  let lineStart = 0
  let isSafe = true
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte === EQUALS) equalSigns += 1
    else if (isEscaped(byte) || isAtLineEnd(bytes, i) || (i === lineStart && startsWithFrom(bytes, i))) escapes += 1
    else if (byte === LF) {
      if (i - 1 - lineStart > LONGEST_LINE) isSafe = false
      lineStart = i + 1
    }
  }
  const isLastShort = bytes.length - lineStart <= LONGEST_LINE
  return { isSafe: isSafe && isLastShort && escapes === 0, escapes: escapes + equalSigns }
}
