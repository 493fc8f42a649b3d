import { relaxed } from '../dkim/body-hash.ts'
import { fillTemplate, placeholdersIn, TooLong } from '../templates.ts'
import type { Chunk } from './chunk.ts'
import { escapesIn, isRobust, quotedPrintable } from './quoted-printable.ts'
import { MAX_CHUNK, withCrlf } from './text-chunks.ts'
import { type Encoded, hasShortLines, isBetterInBase64 } from './text-encoding.ts'

/** Whole lines, with all that their encoding depends on. */
interface Lines {
  readonly lines: string
  /** Fit for 7bit. */
  readonly isPlain: boolean
  readonly escapes: number
  readonly bytes: number
}

/** The same in all copies, so each form is made once. */
interface SharedLines extends Lines {
  plain?: SharedBytes
  quoted?: SharedBytes
}

/** Encoded lines, and the form in which they are hashed: mostly the same. */
export class SharedBytes {
  readonly bytes: Buffer
  readonly relaxed: Buffer

  constructor(encoded: string) {
    const canonical = relaxed(encoded)
    this.bytes = Buffer.from(encoded, 'latin1')
    this.relaxed = canonical === encoded ? this.bytes : Buffer.from(canonical, 'latin1')
  }
}

/** A text with placeholders, cut at line ends: what all copies share is encoded once, the lines with placeholders for each copy. */
export type SplicedText = readonly (SharedLines | { readonly template: string })[]

/** Null: it is longer than what is encoded as one chunk. */
export function spliceText(text: string): SplicedText | null {
  if (text.length > MAX_CHUNK) return null
  const pieces: (SharedLines | { readonly template: string })[] = []
  let done = 0
  for (const { start, end } of personalLines(text)) {
    if (start > done) pieces.push(measured(text.slice(done, start)))
    pieces.push({ template: text.slice(start, end) })
    done = end
  }
  if (done < text.length) pieces.push(measured(text.slice(done)))
  return pieces
}

/** The lines with placeholders; a placeholder can have line ends inside. */
function personalLines(text: string): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = []
  for (const { start, end } of placeholdersIn(text)) {
    const lineEnd = text.indexOf('\n', end) + 1 || text.length
    const last = ranges.at(-1)
    if (last && start < last.end) last.end = Math.max(last.end, lineEnd)
    else ranges.push({ start: start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1, end: lineEnd })
  }
  return ranges
}

function measured(text: string): Lines {
  const lines = withCrlf(text.toWellFormed())
  return {
    lines,
    isPlain: isRobust(lines) && hasShortLines(lines),
    escapes: escapesIn(lines),
    bytes: Buffer.byteLength(lines),
  }
}

/** A text as it leaves: chunks, each with the form in which it is hashed. */
export interface SplicedEncoding extends Encoded {
  readonly relaxed: ReadonlyMap<Chunk, Buffer>
}

/**
 * What `encodeText` makes of the text once it is filled in, byte for byte. Null: nothing is left of it, or it is encoded in another way than line by line.
 */
export function encodeSpliced(text: SplicedText, value: (name: string) => string | undefined): SplicedEncoding | null {
  const pieces = filledIn(text, value)
  if (!pieces) return null
  let isPlain = true
  let [escapes, bytes, length] = [0, 0, 0]
  for (const piece of pieces) {
    isPlain &&= piece.isPlain
    escapes += piece.escapes
    bytes += piece.bytes
    length += piece.lines.length
  }
  if (length === 0 || length > MAX_CHUNK || (!isPlain && isBetterInBase64(escapes, bytes))) return null
  const form = isPlain ? 'plain' : 'quoted'
  const relaxedForms = new Map<Chunk, Buffer>()
  const content = pieces.flatMap((piece, index): Chunk[] => {
    // Nothing was filled in. The last chunk says how the text ends.
    if (piece.lines === '') return []
    const encoded = () => (isPlain ? piece.lines : quotedPrintable({ lines: piece.lines, isOpen: false }))
    if (text[index] !== piece) return [encoded()]
    const shared = piece as SharedLines
    shared[form] ??= new SharedBytes(encoded())
    relaxedForms.set(shared[form].bytes, shared[form].relaxed)
    return [shared[form].bytes]
  })
  return { encoding: isPlain ? '7bit' : 'quoted-printable', content, relaxed: relaxedForms }
}

function filledIn(text: SplicedText, value: (name: string) => string | undefined): Lines[] | null {
  try {
    return text.map((piece) =>
      'template' in piece ? measured(fillTemplate(piece.template, value, MAX_CHUNK).text) : piece,
    )
  } catch (error) {
    if (error instanceof TooLong) return null
    throw error
  }
}
