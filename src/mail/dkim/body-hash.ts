import { createHash } from 'node:crypto'
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
  const text = body.subarray(0, endOfText(body))
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

/** Whole lines in the relaxed form. Runs go first: to look for a line end after each white space of a long run would take its square. */
export function relaxed(lines: string): string {
  // Most text is in that form, and looking is faster than replacing.
  if (!lines.includes('  ') && !lines.includes('\t') && !lines.includes(' \r\n')) return lines
  return lines.replace(/[ \t]{2,}|\t/g, ' ').replaceAll(' \r\n', '\r\n')
}

/** Empty lines at the end do not count, and neither does white space in front of a line end. */
function endOfText(body: Buffer): number {
  let end = body.length
  while (end > 0 && [SPACE, TAB, CR, LF].includes(body[end - 1]!)) end -= 1
  return end
}

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
