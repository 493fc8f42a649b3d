import type { Steps } from '../steps.ts'
import { CR, LF } from './bytes.ts'
import { inPieces } from './pieces.ts'

const BEGIN = /(?:^|\n)begin [0-7]{3,4} ([^\r\n]{1,255})/

/** Looked for in front of the lines: people write a sentence there. */
const MAX_INTRODUCTION_BYTES = 16 * 1_024

/** The name of the file that `begin 644 name` begins, and where its lines do; null when nothing does. */
export function uuencodedFile(content: Buffer): { readonly name: string; readonly start: number } | null {
  const begin = BEGIN.exec(content.toString('latin1', 0, MAX_INTRODUCTION_BYTES))
  if (!begin) return null
  const newline = content.indexOf(LF, begin.index + begin[0].length)
  return { name: begin[1]!.trim(), start: newline < 0 ? content.length : newline + 1 }
}

/**
 * `x-uuencode`: lines that begin with their length, of characters from 0x20 to 0x60 with six bits each. Spaces at the end of a line
 * are often lost on the way: what is missing is zero. Without a `begin` it is left as it is.
 */
export function* decodeUuencode(content: Buffer): Steps<Buffer> {
  const file = uuencodedFile(content)
  if (!file) return content
  const lines = content.subarray(file.start)
  // Lines that say that they are longer than they are do not make it longer.
  const decoded = Buffer.allocUnsafe(lines.length)
  let length = 0

  function read(start: number, end: number): number {
    let line = start
    while (line < end) {
      const newline = lines.indexOf(LF, line)
      const next = newline < 0 ? lines.length : newline + 1
      let lineEnd = newline < 0 ? lines.length : newline
      if (lines[lineEnd - 1] === CR) lineEnd -= 1
      const size = lineEnd > line ? sixBits(lines[line]!) : 0
      // A length of zero is that of the last line; `end` follows.
      if (size === 0) return lines.length
      length = decodeLine(line + 1, lineEnd, Math.min(length + size, decoded.length))
      line = next
    }
    return line
  }

  function decodeLine(start: number, end: number, decodedEnd: number): number {
    let at = length
    let bits = 0
    let count = 0
    for (let i = start; at < decodedEnd; i += 1) {
      bits = (bits << 6) | (i < end ? sixBits(lines[i]!) : 0)
      count += 6
      if (count < 8) continue
      count -= 8
      decoded[at++] = (bits >> count) & 0xff
    }
    return at
  }

  yield* inPieces(lines.length, read)
  return decoded.subarray(0, length)
}

function sixBits(byte: number): number {
  return (byte - 0x20) & 0x3f
}
