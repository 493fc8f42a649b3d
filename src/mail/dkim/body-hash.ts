import { createHash, hash as hashAtOnce } from 'node:crypto'
import type { Steps } from '../steps.ts'

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const CHUNK = 8_192
/** Some milliseconds of SHA-256. */
const LEAP = 1_048_576

/**
 * SHA-256 of the body in the relaxed form (RFC 6376, 3.4.4), in base64. Lines without white space are in that form already, and
 * `indexOf` finds the next white space faster than anything else: the thousands of lines of a base64 part are one leap, and an
 * attachment costs its SHA-256 and little more. A loop over the bytes takes ten times that.
 */
export function* bodyHash(body: Buffer): Steps<string> {
  const end = endOfText(body)
  const text = body.subarray(0, end)
  // Most mail is short, ends a line and is in that form already: it is hashed where it is.
  if (end > 0 && body.length <= LEAP && body[end] === CR && body[end + 1] === LF && isRelaxed(text))
    return hashAtOnce('sha256', body.subarray(0, end + 2), 'base64')
  const nextWhite = whiteSpaceFinder(text)
  const hash = createHash('sha256')
  let from = 0
  while (from < text.length) {
    const white = nextWhite(from)
    const whiteLine = white === text.length ? white : Math.max(from, text.lastIndexOf(LF, white) + 1)
    const to = text.indexOf(LF, whiteLine + CHUNK) + 1 || text.length
    for (let leap = from; leap < whiteLine; leap += LEAP) {
      hash.update(text.subarray(leap, Math.min(leap + LEAP, whiteLine)))
      yield
    }
    hash.update(relaxed(text.toString('latin1', whiteLine, to)), 'latin1')
    from = to
    yield
  }
  return (text.length > 0 ? hash.update('\r\n') : hash).digest('base64')
}

const TWO_SPACES = Buffer.from('  ')
const SPACE_AT_LINE_END = Buffer.from(' \r\n')

/** Of bytes that do not end in white space: whether nothing would change. */
const isRelaxed = (text: Buffer) =>
  !text.includes(TWO_SPACES) && !text.includes(TAB) && !text.includes(SPACE_AT_LINE_END)

/** Whole lines in the relaxed form. Runs go first: to look for a line end after each white space of a long run would take its square. */
export function relaxed(lines: string): string {
  // Most text is in that form, and looking is faster than replacing.
  if (!lines.includes('  ') && !lines.includes('\t') && !lines.includes(' \r\n')) return lines
  return lines.replace(/[ \t]{2,}|\t/g, ' ').replaceAll(' \r\n', '\r\n')
}

/** Empty lines at the end do not count, and neither does white space in front of a line end. */
function endOfText(body: Buffer): number {
  let end = body.length
  while (end > 0 && isWhite(body[end - 1]!)) end -= 1
  return end
}

const isWhite = (byte: number) => byte === LF || byte === CR || byte === SPACE || byte === TAB

/** Searches each part of the text once, however often it is asked about it. */
function whiteSpaceFinder(text: Buffer): (from: number) => number {
  let space = -1
  let tab = -1
  const find = (byte: number, from: number) => {
    const found = text.indexOf(byte, from)
    return found < 0 ? text.length : found
  }
  return (from) => {
    if (space < from) space = find(SPACE, from)
    if (tab < from) tab = find(TAB, from)
    return Math.min(space, tab)
  }
}
