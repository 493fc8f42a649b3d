import type { Placeholder } from '../templates.ts'
import { escapedText, escapesIn, quotedLine } from './quoted-printable.ts'
import type { Lines } from './spliced-text.ts'
import { MAX_CHUNK } from './text-chunks.ts'
import { MAX_LINE_LENGTH } from './text-encoding.ts'

/** A part of a line, escaped, with what it counts for. */
interface Part {
  readonly escaped: string
  readonly length: number
  readonly escapes: number
  readonly bytes: number
}

type Value = (name: string) => string | undefined

/**
 * Prepares one line that is too long for 7bit whatever is filled in: what stands between the placeholders is escaped once, and for each copy only what is
 * filled in. Null: it is no such line. The function gives null when a value makes several lines of it, or part of a character.
 */
export function longLineOf(
  template: string,
  placeholders: readonly Placeholder[],
): ((value: Value) => Lines | null) | null {
  const lineEnd = /\r?\n$/.exec(template)?.[0] ?? ''
  const literals: Part[] = []
  let done = 0
  for (const end of [...placeholders.map(({ start }) => start), template.length - lineEnd.length]) {
    const literal = template.slice(done, end)
    if (!isPartOfLine(literal)) return null
    literals.push(partOf(literal))
    done = placeholders[literals.length - 1]?.end ?? template.length
  }
  const total = sumOf(literals)
  if (total.length <= MAX_LINE_LENGTH) return null
  const known = new Map<string, Part>()
  const partFor = (text: string) => known.get(text) ?? partOf(text)
  for (const { fallback } of placeholders) if (isPartOfLine(fallback)) known.set(fallback, partOf(fallback))
  return (value) => {
    const fillings = placeholders.map(({ name, fallback }) => value(name) ?? fallback)
    if (!fillings.every((text) => text.length <= MAX_CHUNK && isPartOfLine(text))) return null
    const parts = fillings.map(partFor)
    const { length, escapes, bytes } = sumOf(parts)
    return {
      length: total.length + length + 2,
      isPlain: false,
      escapes: total.escapes + escapes,
      bytes: total.bytes + bytes + (lineEnd ? 2 : 0),
      encoded: () =>
        `${quotedLine(literals.map(({ escaped }, i) => escaped + (parts[i]?.escaped ?? '')).join(''))}${lineEnd ? '\r\n' : ''}`,
    }
  }
}

const isPartOfLine = (text: string) => !text.includes('\n') && !text.includes('\r') && text.isWellFormed()

const partOf = (text: string): Part => ({
  escaped: escapedText(text),
  length: text.length,
  escapes: escapesIn(text),
  bytes: Buffer.byteLength(text),
})

function sumOf(parts: readonly Part[]) {
  let [length, escapes, bytes] = [0, 0, 0]
  for (const part of parts) {
    length += part.length
    escapes += part.escapes
    bytes += part.bytes
  }
  return { length, escapes, bytes }
}
