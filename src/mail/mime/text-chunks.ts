/** A part of a text: whole lines, with their ends, or a part of a line that goes on in the next chunk. */
export interface TextChunk {
  /** Every line end is `\r\n`. */
  readonly lines: string
  readonly isOpen: boolean
}

const [LF, CR] = [0x0a, 0x0d]

/** The text of nearly all mail is one chunk. */
export const MAX_CHUNK = 65_536

/**
 * The text bit by bit. What is done with a text as a whole can take many times its memory: to split 50 MB of line ends makes a list
 * of 400 MB, and so does to replace every second character.
 */
export function* chunksOf(text: string): Generator<TextChunk> {
  let from = 0
  do {
    const to = endOfChunk(text, from)
    const lines = withCrlf(from === 0 && to === text.length ? text : text.slice(from, to))
    yield { lines, isOpen: to < text.length && !lines.endsWith('\n') }
    from = to
  } while (from < text.length)
}

/** The same of bytes, each a character (latin1): there is never all of it as a string. */
export function* chunksOfBytes(bytes: Buffer): Generator<TextChunk> {
  let from = 0
  while (from < bytes.length) {
    const reach = Math.min(from + MAX_CHUNK, bytes.length)
    const lineEnd = bytes.lastIndexOf(LF, reach - 1) + 1
    const isInside = bytes[reach - 1] === CR && reach < bytes.length
    const to = reach === bytes.length ? reach : lineEnd > from ? lineEnd : isInside ? reach - 1 : reach
    const lines = withCrlf(bytes.toString('latin1', from, to))
    yield { lines, isOpen: to < bytes.length && !lines.endsWith('\n') }
    from = to
  }
}

/** Behind a line end if there is one; else anywhere, but not inside of a character or of `\r\n`. */
function endOfChunk(text: string, from: number): number {
  const to = from + MAX_CHUNK
  if (to >= text.length) return text.length
  // Of the chunk alone: in the whole text each search would go back to its beginning.
  const lineEnd = text.slice(from, to).lastIndexOf('\n') + 1
  if (lineEnd > 0) return from + lineEnd
  const isInside = isLowSurrogate(text.charCodeAt(to)) || text[to - 1] === '\r'
  return isInside ? to - 1 : to
}

const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff

/** Split and joined because that takes a fifth of the time of `replaceAll`. */
export function withCrlf(text: string): string {
  if (text.includes('\r')) return text.replace(/\r\n|\r|\n/g, '\r\n')
  return text.includes('\n') ? text.split('\n').join('\r\n') : text
}
