import { CR, LF, SPACE, TAB } from './bytes.ts'
import { decodeLatin1 } from './charset.ts'
import { MOST_HEADER_FIELDS } from './limits.ts'

export interface HeaderField {
  /** In lower case. */
  readonly name: string
  /** Unfolded; encoded words are as they were. */
  readonly value: string
}

export interface HeaderBlock {
  readonly fields: readonly HeaderField[]
  /** Where the body begins. */
  readonly end: number
  /** Whether there was more of it than is read. */
  readonly isCut: boolean
}

interface Extent {
  readonly start: number
  readonly mostBytes: number
  /** Whether the end is looked for when it is further away than what is read. */
  readonly isBodyWanted: boolean
  /** Whether the line at this place belongs to what is around the header. */
  readonly isBoundary?: (lineStart: number, lineEnd: number) => boolean
}

// Printable ASCII without the colon. White space in front of the colon is obsolete (RFC 5322, 4.5), and still written.
const FIELD = /^([!-9;-~]{1,255})[ \t]*:/

/**
 * The fields from `start` to the empty line. A line that is neither a field nor the continuation of one is passed over, as are
 * the lines that continue it: `From ada@example.com Tue Jul  1` of an mbox, or what a filter left behind.
 */
export function readHeaderBlock(raw: Buffer, extent: Extent): HeaderBlock {
  const fields: HeaderField[] = []
  const limit = extent.start + extent.mostBytes
  let isCut = false
  let fieldStart = extent.start
  let fieldEnd = extent.start
  let position = extent.start

  function takeField() {
    if (fieldEnd === fieldStart) return
    if (fieldStart >= limit || fields.length === MOST_HEADER_FIELDS) {
      isCut = true
      return
    }
    isCut ||= fieldEnd > limit
    const field = readField(raw.toString('latin1', fieldStart, Math.min(fieldEnd, limit)))
    if (field) fields.push(field)
  }

  while (position < raw.length) {
    const newline = raw.indexOf(LF, position)
    const next = newline < 0 ? raw.length : newline + 1
    let lineEnd = newline < 0 ? raw.length : newline
    if (lineEnd > position && raw[lineEnd - 1] === CR) lineEnd -= 1

    if (lineEnd === position) {
      takeField()
      const isEmpty = position === extent.start
      return (isEmpty ? null : withoutHeader(fields, extent.start)) ?? { fields, end: next, isCut }
    }
    if (extent.isBoundary?.(position, lineEnd)) break
    if (raw[position] !== SPACE && raw[position] !== TAB) {
      takeField()
      fieldStart = position
    }
    fieldEnd = lineEnd
    position = next
    if (!extent.isBodyWanted && (isCut || position >= limit)) break
  }
  takeField()
  return withoutHeader(fields, extent.start) ?? { fields, end: position, isCut }
}

/** Text in which no line is a field is no header: it is the body of somebody who forgot that there has to be one. */
function withoutHeader(fields: readonly HeaderField[], start: number): HeaderBlock | null {
  return fields.length === 0 ? { fields, end: start, isCut: false } : null
}

function readField(text: string): HeaderField | null {
  const [start, name] = FIELD.exec(text) ?? []
  if (start === undefined || name === undefined) return null
  const value = text.slice(start.length)
  return { name: name.toLowerCase(), value: decodeLatin1(unfolded(value)).trim() }
}

function unfolded(value: string): string {
  return value.includes('\n') ? value.replace(/\r?\n[ \t]/g, ' ') : value
}
