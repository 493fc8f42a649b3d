import type { Steps } from '../steps.ts'
import { CR, DASH, EQUALS, LF } from './bytes.ts'
import { inPieces } from './pieces.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The value of each byte as a digit; -1 when it is none. */
export const SIX_BITS = Int8Array.from({ length: 256 }, (_, byte) => ALPHABET.indexOf(String.fromCharCode(byte)))

/**
 * What is no digit is passed over. Some programs pad every piece that they encode, so what follows a padding is decoded on its own;
 * Node's own decoder ends at the first.
 */
export function* decodeBase64(content: Buffer): Steps<Buffer> {
  const decoded = Buffer.allocUnsafe(Math.ceil((content.length * 3) / 4))
  let decodedLength = 0
  let heldBits = 0
  let heldCount = 0

  function read(start: number, end: number): number {
    const linesEnd = heldCount === 0 ? decodeLines(start, end) : start
    if (linesEnd > start) return linesEnd
    let length = decodedLength
    let bits = heldBits
    let count = heldCount
    for (let i = start; i < end; i += 1) {
      const byte = content[i]!
      const value = SIX_BITS[byte]!
      if (value < 0) {
        if (byte === EQUALS) count = 0
        continue
      }
      bits = (bits << 6) | value
      count += 6
      if (count < 8) continue
      count -= 8
      decoded[length++] = (bits >> count) & 0xff
    }
    decodedLength = length
    heldBits = bits
    heldCount = count
    return end
  }

  /** Lines of one length with nothing but digits, as all programs write them: Node's decoder has them in a tenth of the time. */
  function decodeLines(start: number, end: number): number {
    const { linesEnd, size } = regularLines(content, start, end)
    if (size === 0) return start
    const bytes = Buffer.from(content.toString('latin1', start, linesEnd), 'base64')
    if (bytes.length !== size) return start
    bytes.copy(decoded, decodedLength)
    decodedLength += size
    return linesEnd
  }

  yield* inPieces(content.length, read)
  return decoded.subarray(0, decodedLength)
}

const UNDERSCORE = 0x5f

/** Where the lines end that are as long as the first, and how many bytes they are when all of them are digits; or no bytes. */
function regularLines(content: Buffer, start: number, end: number): { linesEnd: number; size: number } {
  const length = content.subarray(start, end).indexOf(LF) + 1
  const digits = length - (content[start + length - 2] === CR ? 2 : 1)
  let linesEnd = start
  while (length > 0 && linesEnd + length <= end && isLineEnd(content, linesEnd + digits, linesEnd + length))
    linesEnd += length
  // Padding ends what Node reads, and the other two are digits to it.
  const lines = content.subarray(start, linesEnd)
  const isOdd = digits % 4 !== 0 || [EQUALS, DASH, UNDERSCORE].some((byte) => lines.includes(byte))
  return { linesEnd, size: isOdd ? 0 : ((lines.length / length) * digits * 3) / 4 }
}

function isLineEnd(content: Buffer, start: number, end: number): boolean {
  return content[end - 1] === LF && (end - start === 1 || content[start] === CR)
}
