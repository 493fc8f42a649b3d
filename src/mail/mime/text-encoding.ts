import { isAscii } from '../ascii.ts'
import type { Chunk } from './chunk.ts'
import { isRobust, quotedPrintable } from './quoted-printable.ts'

const LONGEST_LINE = 998

/** Content in the transfer encoding that suits it. The last line has no line end of its own. */
export interface Encoded {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  readonly content: Chunk
}

/** As it is when every server must let it pass, else the shorter of the two encodings. */
export function encodeText(text: string): Encoded {
  const lines = withCrlf(text.toWellFormed())
  if (isRobust(lines) && hasShortLines(lines)) return { encoding: '7bit', content: lines }
  // Escaped, a byte beyond ASCII becomes three; in base64 everything grows by a third. Such letters have one or two bytes more
  // than characters, which is how many there are without counting them.
  const bytes = Buffer.byteLength(lines)
  const isMostlyBeyondAscii = 2 * (bytes - lines.length) > bytes / 6
  if (isMostlyBeyondAscii) return { encoding: 'base64', content: { base64: Buffer.from(lines) } }
  return { encoding: 'quoted-printable', content: quotedPrintable(lines) }
}

/** A message inside a message must not be encoded (RFC 2046, 5.2.1): with clean line ends, or null when that is not enough. */
export function encodeMessage(message: Buffer): Encoded | null {
  const lines = withCrlf(message.toString('latin1'))
  const isSafe = isAscii(lines) && !lines.includes('\0') && hasShortLines(lines)
  return isSafe ? { encoding: '7bit', content: lines } : null
}

function withCrlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

function hasShortLines(text: string): boolean {
  return text.split('\r\n').every((line) => line.length <= LONGEST_LINE)
}
