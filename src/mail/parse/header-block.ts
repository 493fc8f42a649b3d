import { CR, DASH, LF, SPACE, TAB } from './bytes.ts'
import { decodeHeader, isRaw } from './header-charset.ts'
import { MAX_HEADER_FIELDS, MAX_LOST_HEADER_BYTES, MAX_OVERLONG_HEADER_BYTES } from './limits.ts'
import { readParameters } from './parameters.ts'

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
  readonly maxBytes: number
  /** Whether the end is looked for when it is further away than what is read. */
  readonly isBodyWanted: boolean
  /** Whether the line at this place belongs to what is around the header. */
  readonly isBoundary?: (lineStart: number, lineEnd: number) => boolean
  /** Whether only what is said about the content is of interest. */
  readonly isPart?: boolean
  /** What fields are written in that do not say so; asked only when there are some. */
  readonly charsetOf?: (fields: readonly HeaderField[]) => string | null
}

// Printable ASCII without the colon. White space in front of the colon is obsolete (RFC 5322, 4.5), and still written.
const FIELD = /^([!-9;-~]{1,255})[ \t]*:/

/**
 * The fields from `start` to the empty line, or to the boundary of the multipart that they announce when somebody forgot that line.
 * A line that is neither a field nor the continuation of one is passed over, as are the lines that continue it (`From
 * ada@example.com Tue Jul  1` of an mbox, or what a filter left behind), unless no field follows: then the body begins there.
 */
export function readHeaderBlock(raw: Buffer, extent: Extent): HeaderBlock {
  return new HeaderReader(raw, extent).read()
}

interface WrittenField {
  readonly name: string
  /** Bytes as characters. */
  readonly latin1: string
}

class HeaderReader {
  private readonly raw: Buffer
  private readonly extent: Extent
  private readonly limit: number
  private readonly fields: WrittenField[] = []
  private isCut = false
  /** The lines of the field that is passing by. */
  private fieldStart: number
  private fieldEnd: number
  /** The first line behind the last field that is none; -1 when there is none. */
  private strayStart = -1
  private ownBoundary: { readonly fieldCount: number; readonly line: string | null } = { fieldCount: 0, line: null }

  constructor(raw: Buffer, extent: Extent) {
    this.raw = raw
    this.extent = extent
    this.limit = extent.start + extent.maxBytes
    this.fieldStart = extent.start
    this.fieldEnd = extent.start
  }

  read(): HeaderBlock {
    const { raw, extent } = this
    let position = extent.start
    while (position < raw.length) {
      const newline = raw.indexOf(LF, position)
      const next = newline < 0 ? raw.length : newline + 1
      let lineEnd = newline < 0 ? raw.length : newline
      if (lineEnd > position && raw[lineEnd - 1] === CR) lineEnd -= 1

      if (lineEnd === position) {
        this.takeField()
        return position === extent.start ? this.block(next) : this.blockUpTo(next)
      }
      if (raw[position] !== SPACE && raw[position] !== TAB) {
        this.takeField()
        if (this.isBoundary(position, lineEnd)) return this.blockUpTo(position)
        this.fieldStart = position
      }
      this.fieldEnd = lineEnd
      position = next
      if (!this.isCut && position < this.limit) continue
      if (!extent.isBodyWanted) break
      if (position > this.limit + MAX_OVERLONG_HEADER_BYTES) {
        this.isCut = true
        position = this.farEnd(position)
        return this.block(position)
      }
    }
    this.takeField()
    return this.blockUpTo(position)
  }

  private takeField(): void {
    const { raw, fields, fieldStart, fieldEnd, limit } = this
    if (fieldEnd === fieldStart) return
    this.fieldStart = fieldEnd
    if (fieldStart >= limit || fields.length === MAX_HEADER_FIELDS) {
      this.isCut = true
      return
    }
    this.isCut ||= fieldEnd > limit
    const field = readField(raw.toString('latin1', fieldStart, Math.min(fieldEnd, limit)))
    if (field) fields.push(field)
    if (field) this.strayStart = -1
    else if (this.strayStart < 0) this.strayStart = fieldStart
  }

  /** Text in which no line is a field is no header: it is the body of somebody who forgot that there has to be one. */
  private blockUpTo(end: number): HeaderBlock {
    if (this.fields.length === 0) return { fields: [], end: this.extent.start, isCut: false }
    return this.block(this.strayStart < 0 || this.isCut ? end : this.strayStart)
  }

  private block(end: number): HeaderBlock {
    const { isCut, extent } = this
    const wanted = extent.isPart ? this.fields.filter(({ name }) => name.startsWith('content-')) : this.fields
    const raws = new Set(wanted.filter(({ latin1 }) => isRaw(latin1)))
    const plain = wanted.map(({ name, latin1 }) => ({ name, value: latin1 }))
    const charset = raws.size > 0 ? (extent.charsetOf?.(plain) ?? null) : null
    const fields = wanted.map((field) => ({
      name: field.name,
      value: decodeHeader(field.latin1, raws.has(field) ? charset : 'utf-8').trim(),
    }))
    return { fields, end, isCut }
  }

  private isBoundary(lineStart: number, lineEnd: number): boolean {
    if (this.raw[lineStart] !== DASH || this.raw[lineStart + 1] !== DASH) return false
    return this.extent.isBoundary?.(lineStart, lineEnd) || this.isOwnBoundary(lineStart, lineEnd)
  }

  private isOwnBoundary(lineStart: number, lineEnd: number): boolean {
    const { fields } = this
    if (this.ownBoundary.fieldCount !== fields.length) {
      const type = fields.find(({ name }) => name === 'content-type')
      const { value, parameters } = readParameters(type?.latin1 ?? '')
      const boundary = value.startsWith('multipart/') ? parameters.get('boundary') : undefined
      this.ownBoundary = { fieldCount: fields.length, line: boundary ? `--${boundary}` : null }
    }
    const { line } = this.ownBoundary
    return (
      line !== null &&
      lineEnd - lineStart >= line.length &&
      lineEnd - lineStart < line.length + 10 &&
      this.raw.toString('latin1', lineStart, lineEnd).trimEnd() === line
    )
  }

  /** The end of a header that is far too long. It is not looked for in all of the message: that could take 0.3 s. */
  private farEnd(position: number): number {
    if (this.extent.isBoundary) return position
    const rest = this.raw.subarray(position - 1, position + MAX_LOST_HEADER_BYTES)
    const ends = ['\n\n', '\n\r\n'].flatMap((end) => {
      const found = rest.indexOf(end)
      return found < 0 ? [] : [position - 1 + found + end.length]
    })
    return ends.length === 0 ? position : Math.min(...ends)
  }
}

function readField(text: string): WrittenField | null {
  const [start, name] = FIELD.exec(text) ?? []
  if (start === undefined || name === undefined) return null
  return { name: name.toLowerCase(), latin1: unfolded(text.slice(start.length)) }
}

function unfolded(value: string): string {
  return value.includes('\n') ? value.replace(/\r?\n[ \t]/g, ' ') : value
}
