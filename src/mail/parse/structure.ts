import type { Steps } from '../steps.ts'
import { CR, DASH, LF, SPACE, TAB } from './bytes.ts'
import { readHeaderBlock } from './header-block.ts'
import {
  MAX_BOUNDARY_LENGTH,
  MAX_BOUNDARY_LINE_LENGTH,
  MAX_HEADER_BYTES,
  MAX_PART_DEPTH,
  MAX_PART_HEADER_BYTES,
  MAX_PARTS,
  MAX_PREAMBLE_BYTES,
} from './limits.ts'
import { type PartHead, readPartHead } from './part-head.ts'

/** A part of the message: where its content is among the bytes. That of a multipart is what is in front of its first part. */
export interface Part {
  readonly head: PartHead
  /** Where its header begins. */
  readonly headStart: number
  readonly start: number
  end: number
  readonly parts: Part[]
}

/** A multipart whose end has not come yet. */
interface OpenPart {
  readonly part: Part
  /** Bytes as characters, as the lines it is compared with. */
  readonly boundary: string
}

const DASHED_LINE = Buffer.from('\n--')
/** Each takes 0.1 µs. */
const LINES_IN_STEP = 10_000
/** 10 ms where every other byte is a line feed. */
const SEARCHED_IN_STEP = 1_024 * 1_024

const CONTENT_FIELD = /^(?:content|mime)-[\w-]{2,40}[ \t]*:/i

const UNCLOSED = 'A multipart is not closed; the message may be incomplete'

export interface Structure {
  readonly root: Part
  /** What the first part that says so is written in. */
  readonly charset: string | null
  readonly faults: readonly string[]
}

/**
 * Finds the parts without copying or decoding any: one pass over the lines that begin with two dashes. Everything that would
 * make the work more than that (depth, number of parts, length of headers) has a limit.
 */
export function readStructure(raw: Buffer): Steps<Structure> {
  return new StructureReader(raw).read()
}

class StructureReader {
  private readonly raw: Buffer
  private readonly open: OpenPart[] = []
  private readonly faults = new Set<string>()
  /** The part whose lines are passing by; null between the parts. */
  private current: Part | null = null
  private count = 0
  /** What headers are most likely written in that do not say so. */
  private charset: string | null = null

  constructor(raw: Buffer) {
    this.raw = raw
  }

  *read(): Steps<Structure> {
    const root = this.beginPart(0, 'text/plain')
    let line = yield* this.nextDashedLine(root.start)
    for (let count = 1; line >= 0; count += 1) {
      const next = this.lineEnd(line)
      const boundary = this.boundaryAt(line, next)
      if (boundary || count % LINES_IN_STEP === 0) yield
      if (boundary) this.endParts(boundary.level, this.beforeLine(line))
      if (boundary?.isLast) this.open.pop()
      line = yield* this.nextDashedLine(boundary && !boundary.isLast ? this.beginNext(next) : next)
    }
    if (this.open.length > 0) this.faults.add(UNCLOSED)
    this.endParts(0, this.raw.length)
    return { root, charset: this.charset, faults: [...this.faults] }
  }

  /** Begins another part of the innermost multipart, and says where its content begins. */
  private beginNext(start: number): number {
    if (this.count === MAX_PARTS) {
      this.faults.add(`The message has more than ${MAX_PARTS} parts; the others were left out`)
      this.open.length = 0
      return start
    }
    const { part } = this.open.at(-1)!
    const begun = this.beginPart(start, part.head.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain')
    part.parts.push(begun)
    return begun.start
  }

  private beginPart(start: number, defaultType: string): Part {
    const isRoot = this.count === 0
    this.count += 1
    const { fields, end, isCut } = readHeaderBlock(this.raw, {
      start,
      maxBytes: isRoot ? MAX_HEADER_BYTES : MAX_PART_HEADER_BYTES,
      isBodyWanted: true,
      isPart: true,
      ...(!isRoot && { isBoundary: (from: number, to: number) => this.boundaryAt(from, to) !== null }),
      charsetOf: (own) => readPartHead(own, defaultType).parameters.get('charset') ?? this.charset,
    })
    if (isCut) this.faults.add(`The header of ${isRoot ? 'the message' : 'a part'} is too long; the end was left out`)
    const head = readPartHead(fields, defaultType)
    this.charset ??= head.parameters.get('charset') ?? null
    const isMultipart = head.type.startsWith('multipart/')
    const isTooDeep = isMultipart && this.open.length === MAX_PART_DEPTH
    if (isTooDeep)
      this.faults.add(`The message has more than ${MAX_PART_DEPTH} levels of parts; the rest is kept as a file`)
    const part: Part = {
      head: isTooDeep ? { ...head, disposition: 'attachment' } : head,
      headStart: start,
      start: end,
      end: this.raw.length,
      parts: [],
    }
    this.current = part
    if (isMultipart && !isTooDeep) this.openMultipart(part)
    return part
  }

  private openMultipart(part: Part): void {
    const declared = Buffer.from(part.head.parameters.get('boundary') ?? '').toString('latin1')
    const boundary = declared !== '' && !this.isNowhere(declared, part) ? declared : this.guessBoundary(part, declared)
    if (boundary === null || boundary.length > MAX_BOUNDARY_LENGTH)
      this.faults.add('A multipart has no usable boundary')
    else this.open.push({ part, boundary })
  }

  /** Whether the boundary of the message does not come where it should: filters and careless programs write another one. */
  private isNowhere(boundary: string, { start }: Part): boolean {
    if (this.count > 1) return false
    return this.raw.subarray(start, start + MAX_PREAMBLE_BYTES).indexOf(`--${boundary}`, 0, 'latin1') < 0
  }

  /**
   * The first line with dashes, as it was most likely meant. Where another boundary is declared, only one with a header behind it,
   * since the text may have lines of dashes.
   */
  private guessBoundary({ start }: Part, declared: string): string | null {
    const line = this.dashedLine(start, MAX_PREAMBLE_BYTES)
    if (line < 0) return declared || null
    const next = this.lineEnd(line)
    const end = trimmedEnd(this.raw, line, Math.min(next, line + MAX_BOUNDARY_LINE_LENGTH))
    if (declared !== '' && !CONTENT_FIELD.test(this.raw.toString('latin1', next, next + 50))) return declared
    if (declared !== '') this.faults.add('The boundary of the message never comes; another one was taken for it')
    return this.raw.toString('latin1', line + 2, end) || null
  }

  /** The line that begins with two dashes at or behind this line; -1 when there is none, or no multipart that it could be about. */
  private *nextDashedLine(lineStart: number): Steps<number> {
    for (let start = lineStart; this.open.length > 0 && start < this.raw.length; start += SEARCHED_IN_STEP) {
      const found = this.dashedLine(start, SEARCHED_IN_STEP)
      if (found >= 0) return found
      yield
    }
    return -1
  }

  /** The same among so many bytes. */
  private dashedLine(start: number, length: number): number {
    const isLine = start === 0 || this.raw[start - 1] === LF
    if (isLine && this.raw[start] === DASH && this.raw[start + 1] === DASH) return start
    const found = this.raw.subarray(start, start + length + DASHED_LINE.length - 1).indexOf(DASHED_LINE)
    return found < 0 ? -1 : start + found + 1
  }

  /** Where the next line begins. */
  private lineEnd(lineStart: number): number {
    const newline = this.raw.indexOf(LF, lineStart)
    return newline < 0 ? this.raw.length : newline + 1
  }

  /** Which of the open multiparts the line is a boundary of, the innermost first. */
  private boundaryAt(lineStart: number, lineEnd: number): { level: number; isLast: boolean } | null {
    const { raw, open } = this
    if (open.length === 0 || raw[lineStart] !== DASH || raw[lineStart + 1] !== DASH) return null
    if (lineEnd - lineStart > MAX_BOUNDARY_LINE_LENGTH) return null
    const end = trimmedEnd(raw, lineStart, lineEnd)
    const length = end - lineStart - 2
    let text: string | null = null
    for (let level = open.length - 1; level >= 0; level -= 1) {
      const { boundary } = open[level]!
      const isLast = length === boundary.length + 2
      if (!isLast && length !== boundary.length) continue
      text ??= raw.toString('latin1', lineStart + 2, end)
      if (text === (isLast ? `${boundary}--` : boundary)) return { level, isLast }
    }
    return null
  }

  /** Ends the part that was passing by, and every multipart inside that of the level. */
  private endParts(level: number, end: number): void {
    if (this.current) this.current.end = Math.max(this.current.start, end)
    this.current = null
    if (this.open.length > level + 1) this.faults.add(UNCLOSED)
    this.open.length = Math.min(this.open.length, level + 1)
  }

  /** Where the content in front of a boundary ends: the line break belongs to the boundary. */
  private beforeLine(lineStart: number): number {
    if (this.raw[lineStart - 1] !== LF) return lineStart
    return lineStart - (this.raw[lineStart - 2] === CR ? 2 : 1)
  }
}

/** Where the line ends without its white space. */
function trimmedEnd(raw: Buffer, lineStart: number, lineEnd: number): number {
  let end = lineEnd
  while (end > lineStart) {
    const byte = raw[end - 1]
    if (byte !== LF && byte !== CR && byte !== SPACE && byte !== TAB) break
    end -= 1
  }
  return end
}
