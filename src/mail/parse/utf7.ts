import type { Steps } from '../steps.ts'
import { SIX_BITS } from './base64.ts'
import { DASH } from './bytes.ts'
import { inPieces } from './pieces.ts'
import { TextBuilder } from './text-builder.ts'

const PLUS = 0x2b
const UNREADABLE = 0xfffd
const OUTSIDE = -1

/** UTF-7 (RFC 2152): ASCII, and between `+` and `-` UTF-16 as base64. Anything but base64 ends it too; `+-` is a plus. */
export function* decodeUtf7(bytes: Buffer): Steps<string> {
  const text = new TextBuilder(bytes.length)
  /** How many digits of the base64 that has begun were read, or OUTSIDE. */
  let digits = OUTSIDE
  let bits = 0
  let held = 0

  function read(start: number, end: number): number {
    for (let i = start; i < end; i += 1) {
      const byte = bytes[i]!
      if (digits !== OUTSIDE && SIX_BITS[byte]! >= 0) {
        digits += 1
        bits = ((bits << 6) | SIX_BITS[byte]!) & 0x3f_ffff
        held += 6
        if (held >= 16) {
          held -= 16
          text.add((bits >> held) & 0xffff)
        }
      } else if (digits !== OUTSIDE && byte === DASH) {
        if (digits === 0) text.add(PLUS)
        digits = OUTSIDE
      } else {
        digits = byte === PLUS ? 0 : OUTSIDE
        held = 0
        if (byte !== PLUS) text.add(byte < 0x80 ? byte : UNREADABLE)
      }
    }
    return end
  }

  yield* inPieces(bytes.length, read)
  return text.toString().toWellFormed()
}
