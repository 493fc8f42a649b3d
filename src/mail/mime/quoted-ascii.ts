const MAX_LINE_LENGTH = 76
const [TAB, LF, CR, SPACE, EQUALS, TILDE] = [0x09, 0x0a, 0x0d, 0x20, 0x3d, 0x7e]
const FROM = 'From '
const HEX = Buffer.from('0123456789ABCDEF')

/** Of most mail. What is longer goes the other way. */
const MAX_LENGTH = 16_384

/** Three bytes for each character at worst, and as many for each line that is broken. */
let scratch: Buffer | null = null

/**
 * What `quotedPrintable` makes of a whole text, if it is short and printable ASCII with `\r\n` at the end of its lines: as bytes, in one pass, with how many
 * characters were escaped by necessity. Null: it is not.
 */
export function quotedAscii(text: string): { readonly content: Buffer; readonly escapes: number } | null {
  if (text.length > MAX_LENGTH) return null
  scratch ??= Buffer.allocUnsafeSlow(4 * MAX_LENGTH)
  const bytes = scratch
  let [length, column, escapes] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === CR || code === LF) {
      bytes[length++] = code
      column = 0
      continue
    }
    if (code > TILDE || (code < SPACE && code !== TAB)) return null
    if (code === EQUALS) escapes++
    const isEscaped = code === EQUALS || ((code === SPACE || code === TAB) && isLineEnd(text, at + 1))
    const width = isEscaped ? 3 : 1
    // The last column is for the soft break, unless the line ends before or in it.
    if (column + width >= MAX_LINE_LENGTH && column + widthUpTo(text, at, MAX_LINE_LENGTH - column) > MAX_LINE_LENGTH) {
      bytes[length++] = EQUALS
      bytes[length++] = CR
      bytes[length++] = LF
      column = 0
    }
    if (isEscaped || (column === 0 && isFrom(text, at))) {
      bytes[length++] = EQUALS
      bytes[length++] = HEX[code >> 4]!
      bytes[length++] = HEX[code & 15]!
      column += 3
    } else {
      bytes[length++] = code
      column++
    }
  }
  return { content: Buffer.from(bytes.subarray(0, length)), escapes }
}

/** Whether a line would begin with it. White space at its end is escaped, and then it does not. */
const isFrom = (text: string, at: number) => text.startsWith(FROM, at) && !isLineEnd(text, at + FROM.length)

const isLineEnd = (text: string, at: number) => at === text.length || text.charCodeAt(at) === CR

/** What is left of a line, in columns; of a longer one, more than `most`. */
function widthUpTo(text: string, from: number, most: number): number {
  let width = 0
  for (let at = from; width <= most && !isLineEnd(text, at); at++) {
    const code = text.charCodeAt(at)
    const isWhiteAtEnd = (code === SPACE || code === TAB) && isLineEnd(text, at + 1)
    width += code === EQUALS || isWhiteAtEnd ? 3 : 1
  }
  return width
}
