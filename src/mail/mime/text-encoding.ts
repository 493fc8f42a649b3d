import { isAscii } from '../ascii.ts'
import type { Chunk } from './chunk.ts'
import { escapesIn, isRobust, quotedPrintable } from './quoted-printable.ts'

const LONGEST_LINE = 998

/** In characters. Nobody reads the source of more, and escaping it takes 30 ms for a megabyte, in which nobody else is served. */
const LONG_TEXT = 512 * 1024

/** Content in the transfer encoding that suits it. The last line has no line end of its own. */
export interface Encoded {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  readonly content: Chunk
}

/** As it is when every server lets it pass, else escaped, else in base64. */
export function encodeText(text: string): Encoded {
  if (text.length > LONG_TEXT) return { encoding: 'base64', content: { base64: withCrlfBytes(Buffer.from(text)) } }
  const lines = withCrlf(text.toWellFormed())
  if (isRobust(lines) && hasShortLines(lines)) return { encoding: '7bit', content: lines }
  // An escape adds two bytes, base64 a third of everything: it is shorter from one escape in six bytes on. From one in four it
  // is worth that nobody can read the source any more.
  const isMostlyEscapes = escapesIn(lines) * 4 > Buffer.byteLength(lines)
  if (isMostlyEscapes) return { encoding: 'base64', content: { base64: Buffer.from(lines) } }
  return { encoding: 'quoted-printable', content: quotedPrintable(lines) }
}

/** A message inside a message must not be encoded (RFC 2046, 5.2.1): with clean line ends, or null when that is not enough. */
export function encodeMessage(message: Buffer): Encoded | null {
  const lines = withCrlf(message.toString('latin1'))
  const isSafe = isAscii(lines) && !lines.includes('\0') && hasShortLines(lines)
  return isSafe ? { encoding: '7bit', content: lines } : null
}

/** Split and joined because that takes a fifth of the time of `replaceAll`. */
function withCrlf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n|\r|\n/g, '\r\n') : text.split('\n').join('\r\n')
}

function hasShortLines(text: string): boolean {
  return text.split('\r\n').every((line) => line.length <= LONGEST_LINE)
}

const [LF, CR] = [0x0a, 0x0d]

/** The same for long texts: splitting 5 MB of line ends takes ten times as long. */
function withCrlfBytes(bytes: Buffer): Buffer {
  const written = Buffer.allocUnsafe(2 * bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte !== CR && byte !== LF) {
      written[length++] = byte
      continue
    }
    if (byte === CR && bytes[at + 1] === LF) at++
    written[length++] = CR
    written[length++] = LF
  }
  return written.subarray(0, length)
}
