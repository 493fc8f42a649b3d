import { isAscii, withoutControls } from '../ascii.ts'
import { encodedWords } from './encoded-word.ts'

const LINE = 76
const MAX_LINE_LENGTH = 998

// From here on the name leaves too little of the first line for an encoded word, and the value starts on the next one.
const LONG_NAME = 40

// Headers that machines read: an encoded word in them is not text but damage.
const STRUCTURED = new Set([
  ...['date', 'message-id', 'mime-version', 'content-type', 'content-transfer-encoding', 'references', 'in-reply-to'],
  ...['auto-submitted', 'archived-at', 'autocrypt', 'feedback-id', 'require-recipient-valid-since', 'tls-required'],
  ...['importance', 'precedence', 'priority', 'x-priority'],
  ...['disposition-notification-to', 'return-receipt-to', 'errors-to'],
])

/** `List-…` are a growing family (RFC 2369, 2919, 8058), and all of them hold addresses or keywords. */
export function isStructured(name: string): boolean {
  const lower = name.toLowerCase()
  return STRUCTURED.has(lower) || lower.startsWith('list-')
}

/** One header with its line end: encoded if it is text and has to be, folded at white space. */
export function headerLine(name: string, value: string): string {
  const text = withoutControls(value)
  if (isStructured(name)) return fold(name, text.includes('  ') ? text.replace(/ +/g, ' ') : text)
  return fold(name, mustEncode(name, text) ? encodedWords(text, { firstColumns: columnsAfter(name) }).join(' ') : text)
}

/** Text that would not come out as it went in: beyond ASCII, looking encoded already, or without a place to fold at. */
export function mustEncode(name: string, text: string): boolean {
  return !isAscii(text) || text.includes('=?') || hasUnfoldable(name, text)
}

export function columnsAfter(name: string): number {
  return name.length < LONG_NAME ? LINE - name.length - 2 : LINE - 1
}

/** Whether a line would be longer than SMTP carries: a word, or the white space in front of one, that goes on and on. */
export function hasUnfoldable(name: string, text: string): boolean {
  const lineStart = name.length + 2
  if (lineStart + text.length <= MAX_LINE_LENGTH) return false
  return pieces(text).some((piece, i) => (i === 0 ? lineStart : 0) + piece.length > MAX_LINE_LENGTH)
}

/** Only line breaks are put in, in front of white space that is there already, so unfolding gives the very value back. */
export function fold(name: string, value: string): string {
  // Most values fit, and the same comes out of their pieces. White space at the end does not.
  if (value !== '' && name.length + 2 + value.length <= LINE && !value.endsWith(' ')) return `${name}: ${value}\r\n`
  return foldPieces(name, pieces(value))
}

/** Lines of 76 characters where the pieces allow it. Each piece but the first brings the white space in front of it. */
export function foldPieces(name: string, [first, ...rest]: readonly string[]): string {
  if (first === undefined) return `${name}:\r\n`
  const startsOnNextLine = name.length >= LONG_NAME && name.length + 2 + first.length > LINE
  let folded = startsOnNextLine ? `${name}:\r\n ${first}` : `${name}: ${first}`
  let length = startsOnNextLine ? 1 + first.length : folded.length
  for (const piece of rest) {
    const isFull = length + piece.length > LINE
    folded += isFull ? `\r\n${piece}` : piece
    length = isFull ? piece.length : length + piece.length
  }
  return `${folded}\r\n`
}

/** Words, each with the white space in front of it. */
function pieces(text: string): string[] {
  return text.match(/ *[^ ]+/g) ?? []
}
