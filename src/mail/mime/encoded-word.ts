const LONGEST_WORD = 75
const WRAPPING = '=?UTF-8?Q??='.length

// What may stand for itself in a Q word wherever the word stands, a display name being the strictest place (RFC 2047, 5.3).
const PLAIN = /^[A-Za-z0-9!*+/-]$/

/**
 * The text as encoded words (RFC 2047), UTF-8 in B or Q, whichever is shorter; the first of them no longer than `firstRoom`.
 * A character is never divided between two words: readers decode each word before they join them.
 */
export function encodedWords(text: string, firstRoom: number): string[] {
  const encoding = qLength(text) <= bLength(Buffer.byteLength(text)) ? Q : B
  const words: string[] = []
  let room = Math.min(firstRoom, LONGEST_WORD) - WRAPPING
  let piece = ''
  let size = 0
  for (const character of text) {
    const added = encoding.size(character)
    if (piece !== '' && encoding.length(size + added) > room) {
      words.push(encoding.word(piece))
      room = LONGEST_WORD - WRAPPING
      piece = ''
      size = 0
    }
    piece += character
    size += added
  }
  words.push(encoding.word(piece))
  return words
}

/** `size` is what adds up character by character, `length` what a size takes on the line. */
const Q = {
  size: (character: string) => qLength(character),
  length: (size: number) => size,
  word: (text: string) => `=?UTF-8?Q?${Array.from(text, qCharacter).join('')}?=`,
}
const B = {
  size: (character: string) => Buffer.byteLength(character),
  length: bLength,
  word: (text: string) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`,
}

function bLength(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

function qLength(text: string): number {
  let length = 0
  for (const character of text) {
    length += character === ' ' || PLAIN.test(character) ? 1 : 3 * Buffer.byteLength(character)
  }
  return length
}

function qCharacter(character: string): string {
  if (character === ' ') return '_'
  if (PLAIN.test(character)) return character
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '=$&')
}
