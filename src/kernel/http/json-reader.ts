import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { ByteList } from './byte-list.ts'
import { bodyTooLarge, MAX_DEPTH, MAX_VALUES, notJson, notUtf8, tooDeep, tooManyValues } from './json-limits.ts'
import { NameCount } from './name-count.ts'
import { Problem } from './problem.ts'

const [QUOTE, BACKSLASH, LETTER_U, COMMA] = [0x22, 0x5c, 0x75, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** A text as long as this is taken out of the body, and so is one that lies across two chunks of it. */
const LONG_TEXT = 16 * 1024
/** As many numbers are not the answer to a question but the content of a file. */
const LONG_LIST = 1_024
/** Up to here a body is one text, which `JSON.parse` reads within a few milliseconds. */
const SMALL_BYTES = 256 * 1024
/** What is left of a body without its long texts: parsed in one go. */
const MAX_REST_BYTES = 8 * 1024 * 1024
/** What is kept of a body at all. Lists of numbers take a fourth of their text. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024

/** After so many bytes without an end it is worth to ask the system for the next one. */
const LEAP = 256

/** A long text, in pieces that are each valid between quotes: no escape lies across two of them. */
export interface LongText {
  readonly pieces: Buffer[]
}

type Part = Buffer | LongText | ByteList

/** What takes the place of a long value in the rest. Nobody else can know it, so nobody can send it. */
const MARK = randomBytes(12).toString('hex')

/**
 * Reads a JSON body while it arrives, which spreads the work over many turns of the event loop: 64 kB take 0.1 ms. It counts values
 * and depth, so that nothing is parsed that would take long, and refuses in the middle. Long texts are put aside as they are.
 */
export class JsonReader {
  readonly #takesBytes: boolean
  readonly #parts: Part[] = []
  #kept = 0
  #rest = 0
  #values = 0
  #depth = 0
  readonly #names = new NameCount()
  #isInText = false
  /** The text that is being put aside; null while a text may still be a short one. */
  #text: LongText | null = null
  #list: ByteList | null = null
  /** Where what is not kept yet begins, in the chunk that is being read. */
  #from = 0
  /** The beginning of an escape whose end is in the next chunk. */
  #carry: Buffer | null = null
  /** Only with such escapes can a text hold what cannot be stored. */
  hasUnicodeEscapes = false

  constructor({ takesBytes }: { takesBytes: boolean }) {
    this.#takesBytes = takesBytes
  }

  write(given: Buffer) {
    const chunk = this.#carry ? Buffer.concat([this.#carry, given]) : given
    this.#carry = null
    this.#from = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#list) at = this.#readList(chunk, at)
      else if (this.#isInText) at = this.#readText(chunk, at)
      else at = this.#readRest(chunk, at)
    }
    this.#keepUpTo(chunk, chunk.length)
  }

  /** What is between texts and lists. */
  #readRest(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === QUOTE) {
        this.#isInText = true
        return at + 1
      }
      if (byte === COMMA) {
        this.#count(1)
        this.#names.separate(this.#depth)
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth--
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        this.#count(1)
        if (++this.#depth > MAX_DEPTH) throw tooDeep()
        this.#names.open(this.#depth, byte === OPEN_OBJECT)
        if (byte !== OPEN_LIST || !this.#takesBytes) continue
        this.#list = new ByteList()
        return this.#readList(chunk, at + 1)
      }
    }
    return chunk.length
  }

  /** `start`: where the text begins or, in a later chunk, goes on. */
  #readText(chunk: Buffer, start: number): number {
    const end = this.#endOfText(chunk, start)
    const isClosed = chunk[end] === QUOTE
    this.#isInText = !isClosed
    if (this.#names.isNext) this.#names.read(chunk, start, end, isClosed)
    if (isClosed && !this.#text && end - start < LONG_TEXT) return end + 1
    if (!this.#text) {
      this.#keepUpTo(chunk, start)
      this.#text = { pieces: [] }
      this.#parts.push(this.#text)
    }
    this.#text.pieces.push(chunk.subarray(start, end))
    this.#weigh(end - start)
    if (isClosed) this.#text = null
    else this.#carry = end < chunk.length ? chunk.subarray(end) : null
    this.#from = isClosed ? end : chunk.length
    return isClosed ? end + 1 : chunk.length
  }

  /**
   * The place of its closing quote; without one in this chunk, the end of the chunk or an escape that lies across it. Control
   * characters are left to those who read the text.
   */
  #endOfText(chunk: Buffer, start: number): number {
    let leapAt = start + LEAP
    for (let at = start; at < chunk.length; at++) {
      // Base64, or words without a quotation: 64 kB of it are one leap of 5 µs.
      if (at === leapAt) at = Math.min(indexOfByte(QUOTE, chunk, at), indexOfByte(BACKSLASH, chunk, at))
      const byte = chunk[at]
      if (byte === QUOTE) return at
      if (byte !== BACKSLASH) continue
      const isUnicode = chunk[at + 1] === LETTER_U
      if (isUnicode) this.hasUnicodeEscapes = true
      const last = at + (isUnicode ? 5 : 1)
      if (last >= chunk.length) return at
      at = last
      leapAt = last + LEAP
    }
    return chunk.length
  }

  /** `start`: behind the bracket or, in a later chunk, where the list goes on. */
  #readList(chunk: Buffer, start: number): number {
    const list = this.#list!
    const isNew = start > 0
    const { at, is } = list.read(chunk, start)
    const isLong = list.length >= LONG_LIST && is !== 'other'
    if (is !== 'more') this.#leaveList(isLong ? 0 : list.length, is)
    // A short list that is all in this chunk, and what turns out to be another kind of list at once, stays where it is.
    const next = is === 'end' ? at + 1 : at
    if (isNew && is !== 'more' && !isLong) return next
    if (isNew) this.#keepUpTo(chunk, start - 1)
    this.#from = next
    if (this.#kept + list.length > MAX_KEPT_BYTES) throw bodyTooLarge(MAX_KEPT_BYTES)
    if (isLong && is === 'end') {
      this.#parts.push(list)
      this.#weigh(list.length)
    } else if (is !== 'more') {
      this.#keep(Buffer.from(is === 'end' ? list.json : `[${list.text}`))
    }
    return next
  }

  #leaveList(values: number, is: 'end' | 'other') {
    this.#list = null
    this.#count(values)
    if (is === 'end') this.#depth--
  }

  #keepUpTo(chunk: Buffer, to: number) {
    if (to > this.#from) this.#keep(chunk.subarray(this.#from, to))
    this.#from = to
  }

  #keep(part: Buffer) {
    this.#parts.push(part)
    this.#rest += part.length
    if (this.#rest > MAX_REST_BYTES) throw bodyTooLarge(MAX_REST_BYTES)
    this.#weigh(part.length)
  }

  #weigh(bytes: number) {
    this.#kept += bytes
    if (this.#kept > MAX_KEPT_BYTES) throw bodyTooLarge(MAX_KEPT_BYTES)
  }

  #count(values: number) {
    this.#values += values
    if (this.#values > MAX_VALUES) throw tooManyValues()
  }

  /** The whole body as one text, if it is a small one. Empty: there is no body. */
  get text(): string | null {
    if (this.#isInText || this.#list) throw notJson()
    if (this.#kept > SMALL_BYTES) return null
    const parts = this.#parts.flatMap((part) =>
      Buffer.isBuffer(part) ? [part] : part instanceof ByteList ? [Buffer.from(part.json)] : part.pieces,
    )
    return textOf(parts)
  }

  /** Whether the text at this index is the name of a field, which may lie across two chunks as well. */
  #isName(index: number): boolean {
    const behind = this.#parts.slice(index + 1, index + 3).filter((part) => Buffer.isBuffer(part))
    const text = behind.map((part) => part.toString('latin1', 0, 64)).join('')
    return text.replace(GAP, '').startsWith(':')
  }

  /** The body with marks for what is put aside, and what they stand for. */
  get outline(): { readonly text: string; readonly longValues: ReadonlyMap<string, LongText | ByteList> } {
    const longValues = new Map<string, LongText | ByteList>()
    const parts = this.#parts.flatMap((part, index) => {
      if (Buffer.isBuffer(part)) return [part]
      if (!(part instanceof ByteList) && this.#isName(index)) return shortName(part)
      const mark = `${MARK}${longValues.size}`
      longValues.set(mark, part)
      return [Buffer.from(part instanceof ByteList ? `"${mark}"` : mark)]
    })
    return { text: textOf(parts), longValues }
  }
}

function indexOfByte(byte: number, chunk: Buffer, from: number): number {
  const index = chunk.indexOf(byte, from)
  return index < 0 ? chunk.length : index
}

function shortName({ pieces }: LongText): Buffer[] {
  if (pieces.reduce((sum, { length }) => sum + length, 0) <= LONG_TEXT) return pieces
  throw new Problem('validation_error', 'A field name is too long.')
}

/** White space, up to what is behind it. */
const GAP = /^"?[ \t\r\n]*/

/** What these bytes say, if it is UTF-8. */
export function textOf(parts: readonly Buffer[]): string {
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  if (!isUtf8(bytes)) throw notUtf8()
  return withoutMark(bytes.toString())
}

/** Some clients on Windows write a byte order mark in front of everything (RFC 8259, 8.1, lets us skip it). */
const withoutMark = (text: string) => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** What JSON says that comes as one text, within the bounds of a body. */
export function parseShortJson(text: string): unknown {
  const reader = new JsonReader({ takesBytes: false })
  reader.write(Buffer.from(text))
  return JSON.parse(withoutMark(text))
}
