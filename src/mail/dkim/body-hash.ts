import { createHash } from 'node:crypto'

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const SCRATCH = 16_384
const WORTH_LEAPING = 512

/**
 * SHA-256 of the body in the relaxed form (RFC 6376, 3.4.4), in base64. White space is looked at byte by byte until a line has
 * none: then the next white space is searched for with `indexOf`, and all up to there is hashed as it is. The thousands of
 * lines of a base64 part are one such leap, so that an attachment costs its SHA-256 and little more.
 */
export function bodyHash(body: Buffer): string {
  const text = body.subarray(0, endOfText(body))
  const nextWhite = whiteSpaceFinder(text)
  const hash = createHash('sha256')
  const scratch = Buffer.allocUnsafe(Math.min(SCRATCH, text.length + 2))
  let filled = 0
  let isSpacePending = false
  let isLineWhite = false

  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!
    if (byte === SPACE || byte === TAB) {
      isSpacePending = true
      isLineWhite = true
      continue
    }
    if (filled + 2 > scratch.length) {
      hash.update(scratch.subarray(0, filled))
      filled = 0
    }
    if (isSpacePending && !(byte === CR && text[i + 1] === LF)) scratch[filled++] = SPACE
    scratch[filled++] = byte
    isSpacePending = false
    if (byte !== LF) continue

    const leapTo = isLineWhite ? i : nextWhite(i + 1)
    isLineWhite = false
    if (leapTo - i < WORTH_LEAPING) continue
    hash.update(scratch.subarray(0, filled)).update(text.subarray(i + 1, leapTo))
    filled = 0
    i = leapTo - 1
  }

  hash.update(scratch.subarray(0, filled))
  return (text.length > 0 ? hash.update('\r\n') : hash).digest('base64')
}

/** Empty lines at the end do not count, and neither does white space in front of a line end. */
function endOfText(body: Buffer): number {
  let end = body.length
  while (end > 0 && [SPACE, TAB, CR, LF].includes(body[end - 1]!)) end -= 1
  return end
}

/** Searches each stretch of the text once, however often it is asked about it. */
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
