import { CR, EQUALS, LF, SPACE, TAB } from './bytes.ts'

/** The content as it was before it was encoded for transport. What is not encoded is not copied. */
export function decodeTransfer(content: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return decodeBase64(content)
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(content)
  return content
}

/** Node ends at the first padding. Some programs pad every piece that they encode, so what follows is decoded on its own. */
function decodeBase64(content: Buffer): Buffer {
  const padding = content.indexOf(EQUALS)
  if (padding < 0 || isPadding(content, padding)) return Buffer.from(content.toString('latin1'), 'base64')

  const decoded = Buffer.allocUnsafe(Math.ceil((content.length * 3) / 4))
  let length = 0
  let bits = 0
  let held = 0
  for (const byte of content) {
    if (byte === EQUALS) held = 0
    const value = SIX_BITS[byte]!
    if (value < 0) continue
    bits = ((bits << 6) | value) & 0xffffff
    held += 6
    if (held < 8) continue
    held -= 8
    decoded[length++] = (bits >> held) & 0xff
  }
  return decoded.subarray(0, length)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const SIX_BITS = Int8Array.from({ length: 256 }, (_, byte) => ALPHABET.indexOf(String.fromCharCode(byte)))

/** Whether nothing but padding and white space follows. */
function isPadding(content: Buffer, start: number): boolean {
  for (let i = start; i < content.length; i += 1) {
    const byte = content[i]!
    if (byte !== EQUALS && byte > SPACE) return false
  }
  return true
}

/** What is not well encoded stays as it is. White space at the end of a line was added on the way (RFC 2045, 6.7). */
function decodeQuotedPrintable(content: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(content.length)
  let length = 0
  let kept = 0
  for (let i = 0; i < content.length; i += 1) {
    const byte = content[i]!
    if (byte === LF || byte === CR) {
      if (byte === LF || content[i + 1] === LF) length = kept
      decoded[length++] = byte
      kept = length
    } else if (byte !== EQUALS) {
      decoded[length++] = byte
      if (byte !== SPACE && byte !== TAB) kept = length
    } else {
      const hex = (hexDigit(content[i + 1]) << 4) | hexDigit(content[i + 2])
      const lineBreak = hex < 0 ? softBreakEnd(content, i + 1) : -1
      if (lineBreak >= 0) i = lineBreak - 1
      else if (hex >= 0) i += 2
      if (lineBreak < 0) decoded[length++] = hex >= 0 ? hex : EQUALS
      kept = length
    }
  }
  return decoded.subarray(0, length)
}

/** Where the text goes on behind `=` and the line break, or -1 when it is no line break. */
function softBreakEnd(content: Buffer, start: number): number {
  let i = start
  while (content[i] === SPACE || content[i] === TAB) i += 1
  if (i === content.length || content[i] === LF) return i + 1
  return content[i] === CR && content[i + 1] === LF ? i + 2 : -1
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
