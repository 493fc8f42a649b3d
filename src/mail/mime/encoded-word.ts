const MAX_WORD_LENGTH = 75
const WRAPPING = '=?UTF-8?Q??='.length

// What does not stand for itself in a Q word wherever the word stands, a display name being the strictest place (RFC 2047, 5.3).
const ESCAPED = /[^A-Za-z0-9!*+/ -]+/g

interface LineBudget {
  readonly maxColumns?: number
  /** Of the line where the first word goes. */
  readonly firstColumns?: number
}

interface Encoding {
  /** What a text adds, character by character, and how many columns that comes to. */
  size(text: string): number
  columns(size: number): number
  word(text: string): string
}

const Q: Encoding = {
  size: (text) => {
    const escaped = text.match(ESCAPED)?.join('') ?? ''
    return text.length - escaped.length + 3 * Buffer.byteLength(escaped)
  },
  columns: (size) => size,
  word: (text) => `=?UTF-8?Q?${text.replace(ESCAPED, escapeBytes).replaceAll(' ', '_')}?=`,
}

const B: Encoding = {
  size: (text) => Buffer.byteLength(text),
  columns: (bytes) => Math.ceil(bytes / 3) * 4,
  word: (text) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`,
}

/**
 * The text as encoded words (RFC 2047), UTF-8 in B or Q, whichever is shorter; none of them longer than there is room for.
 * A character is never divided between two words: readers decode each word before they join them.
 */
export function encodedWords(
  text: string,
  { maxColumns = MAX_WORD_LENGTH, firstColumns = maxColumns }: LineBudget = {},
): string[] {
  const encoding = Q.size(text) <= B.columns(B.size(text)) ? Q : B
  const words: string[] = []
  let columns = firstColumns - WRAPPING
  let piece = ''
  let size = 0
  for (const character of text) {
    const added = encoding.size(character)
    if (piece !== '' && encoding.columns(size + added) > columns) {
      words.push(encoding.word(piece))
      columns = maxColumns - WRAPPING
      piece = ''
      size = 0
    }
    piece += character
    size += added
  }
  return [...words, encoding.word(piece)]
}

function escapeBytes(text: string): string {
  return Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '=$&')
}
