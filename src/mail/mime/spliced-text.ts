import { relaxed } from '../dkim/body-hash.ts'
import { fillTemplate, type Placeholder, placeholdersIn, TooLong } from '../templates.ts'
import type { Chunk } from './chunk.ts'
import { longLineOf } from './long-line.ts'
import { escapesIn, isRobust, quotedPrintable } from './quoted-printable.ts'
import { MAX_CHUNK, withCrlf } from './text-chunks.ts'
import { type Encoded, hasShortLines, isBetterInBase64 } from './text-encoding.ts'

/** Whole lines, with all that their encoding depends on. */
export interface Lines {
  /** In characters; at least what the text has. */
  readonly length: number
  /** Fit for 7bit. */
  readonly isPlain: boolean
  readonly escapes: number
  readonly bytes: number
  encoded(form: Form): string
}

type Form = '7bit' | 'quoted-printable'
type Value = (name: string) => string | undefined

/** The same in all copies, so each form is made once. */
interface SharedLines extends Lines {
  readonly forms: Map<Form, { readonly bytes: Buffer; readonly relaxed: Buffer }>
}

/** Lines with placeholders. */
interface PersonalLines {
  fill(value: Value): Lines
}

/** A text with placeholders, cut at line ends: what all copies share is encoded once, the lines with placeholders for each copy. */
export type SplicedText = readonly (SharedLines | PersonalLines)[]

/** Null: it is longer than what is encoded as one chunk. */
export function spliceText(text: string): SplicedText | null {
  if (text.length > MAX_CHUNK) return null
  const pieces: (SharedLines | PersonalLines)[] = []
  const share = (lines: string) => pieces.push({ ...measured(lines), forms: new Map() })
  let done = 0
  for (const { start, end, placeholders } of personalLines(text)) {
    if (start > done) share(text.slice(done, start))
    pieces.push(personal(text.slice(start, end), placeholders, start))
    done = end
  }
  if (done < text.length) share(text.slice(done))
  return pieces
}

interface Range {
  readonly start: number
  end: number
  readonly placeholders: Placeholder[]
}

/** The lines with placeholders; a placeholder can have line ends inside. */
function personalLines(text: string): Range[] {
  const ranges: Range[] = []
  for (const placeholder of placeholdersIn(text)) {
    const { start, end } = placeholder
    const lineEnd = text.indexOf('\n', end) + 1 || text.length
    const last = ranges.at(-1)
    if (last && start < last.end) {
      last.end = Math.max(last.end, lineEnd)
      last.placeholders.push(placeholder)
    } else {
      const lineStart = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1
      ranges.push({ start: lineStart, end: lineEnd, placeholders: [placeholder] })
    }
  }
  return ranges
}

/** Of a long line all but the values is prepared, too: html is often nothing but one line. */
function personal(template: string, placeholders: readonly Placeholder[], start: number): PersonalLines {
  const fillLong = longLineOf(
    template,
    placeholders.map((one) => ({ ...one, start: one.start - start, end: one.end - start })),
  )
  return {
    fill: (value) => fillLong?.(value) ?? measured(fillTemplate(template, value, MAX_CHUNK).text),
  }
}

function measured(text: string): Lines {
  const lines = withCrlf(text.toWellFormed())
  return {
    length: lines.length,
    isPlain: isRobust(lines) && hasShortLines(lines),
    escapes: escapesIn(lines),
    bytes: Buffer.byteLength(lines),
    encoded: (form) => (form === '7bit' ? lines : quotedPrintable({ lines, isOpen: false })),
  }
}

/** A text as it leaves, and of the chunks that all copies share the form in which they are hashed. */
export interface SplicedEncoding extends Encoded {
  readonly relaxed: ReadonlyMap<Chunk, Buffer>
}

/**
 * What `encodeText` makes of the text once it is filled in, byte for byte. Null: nothing is left of it, or it is encoded in another way than line by line.
 */
export function encodeSpliced(text: SplicedText, value: Value): SplicedEncoding | null {
  const pieces = filledIn(text, value)
  if (!pieces) return null
  let isPlain = true
  let [escapes, bytes, length] = [0, 0, 0]
  for (const piece of pieces) {
    isPlain &&= piece.isPlain
    escapes += piece.escapes
    bytes += piece.bytes
    length += piece.length
  }
  if (length === 0 || length > MAX_CHUNK || (!isPlain && isBetterInBase64(escapes, bytes))) return null
  const form = isPlain ? '7bit' : 'quoted-printable'
  const relaxedForms = new Map<Chunk, Buffer>()
  const content = pieces.flatMap((piece): Chunk[] => {
    // Nothing was filled in. The last chunk says how the text ends.
    if (piece.length === 0) return []
    if (!isShared(piece)) return [piece.encoded(form)]
    const shared = sharedForm(piece, form)
    relaxedForms.set(shared.bytes, shared.relaxed)
    return [shared.bytes]
  })
  return { encoding: form, content, relaxed: relaxedForms }
}

const isShared = (piece: Lines | PersonalLines): piece is SharedLines => 'forms' in piece

/** Encoded, and as it is hashed: mostly the same. */
function sharedForm(lines: SharedLines, form: Form) {
  const known = lines.forms.get(form)
  if (known) return known
  const encoded = lines.encoded(form)
  const canonical = relaxed(encoded)
  const bytes = Buffer.from(encoded, 'latin1')
  const made = { bytes, relaxed: canonical === encoded ? bytes : Buffer.from(canonical, 'latin1') }
  lines.forms.set(form, made)
  return made
}

function filledIn(text: SplicedText, value: Value): Lines[] | null {
  try {
    return text.map((piece) => (isShared(piece) ? piece : piece.fill(value)))
  } catch (error) {
    if (error instanceof TooLong) return null
    throw error
  }
}
