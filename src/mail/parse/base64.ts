import type { Steps } from '../steps.ts'
import { EQUALS } from './bytes.ts'
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

  yield* inPieces(content.length, read)
  return decoded.subarray(0, decodedLength)
}
