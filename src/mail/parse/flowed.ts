import type { Steps } from '../steps.ts'
import { inPieces } from './pieces.ts'
import { TextBuilder } from './text-builder.ts'

const LF = 0x0a
const QUOTE = 0x3e
const SPACE = 0x20
/** What is quoted more often is text. */
const MAX_QUOTE_DEPTH = 1_000
const SIGNATURE = '-- '

/**
 * `format=flowed` (RFC 3676): a line that ends in a space goes on in the next one. Quoted lines do so only within their depth,
 * and `-- ` is a signature, not a line that goes on.
 */
export function* unflowed(text: string, isSpaceDeleted: boolean): Steps<string> {
  const paragraphs = new TextBuilder(text.length)
  let depth = 0
  let isOpen = false

  /** Reads the line and says where the next one begins. */
  function readLine(start: number): number {
    let from = start
    while (text.charCodeAt(from) === QUOTE && from - start < MAX_QUOTE_DEPTH) from += 1
    const quotes = from - start
    if (text.charCodeAt(from) === SPACE) from += 1
    const newline = text.charCodeAt(from) === LF ? from : text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    const isSignature = end - from === SIGNATURE.length && text.startsWith(SIGNATURE, from)
    if (!isOpen || depth !== quotes || isSignature) {
      if (start > 0) paragraphs.add(LF)
      paragraphs.addText(text, start, start + quotes)
      if (quotes > 0) paragraphs.add(SPACE)
    }
    depth = quotes
    isOpen = end > from && text.charCodeAt(end - 1) === SPACE && !isSignature
    paragraphs.addText(text, from, isOpen && isSpaceDeleted ? end - 1 : end)
    return end + 1
  }

  // With what follows the last line feed, even if it is nothing.
  yield* inPieces(text.length + 1, (start, end) => {
    let line = start
    while (line < end) line = readLine(line)
    return line
  })
  return paragraphs.toString()
}
