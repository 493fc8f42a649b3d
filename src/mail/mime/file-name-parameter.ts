import { isAscii } from '../ascii.ts'
import { encodedWords } from './encoded-word.ts'

const SEGMENT = 60

/** `filename` as RFC 2231 has it: in quotes, or in percent-encoded UTF-8 that is numbered when it takes more than one line. */
export function filenameParameters(filename: string): string[] {
  if (isAscii(filename)) return [`filename=${quoted(filename)}`]
  const [first = '', ...rest] = segments(filename)
  if (rest.length === 0) return [`filename*=UTF-8''${first}`]
  return [`filename*0*=UTF-8''${first}`, ...rest.map((segment, i) => `filename*${i + 1}*=${segment}`)]
}

/**
 * `name` for those who do not read `filename` (Outlook for long). RFC 2047 forbids encoded words between quotes, and every
 * client that still looks at `name` expects them there. The pieces are to be written with white space between them.
 */
export function nameParameter(filename: string): string[] {
  if (isAscii(filename)) return [`name=${quoted(filename)}`]
  const words = encodedWords(filename, { maxColumns: SEGMENT })
  return words.map((word, i) => `${i === 0 ? 'name="' : ''}${word}${i === words.length - 1 ? '"' : ''}`)
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Percent-encoded, never divided inside a character. */
function segments(text: string): string[] {
  const found = ['']
  for (const character of text) {
    const encoded = encodeURIComponent(character).replace(/['()*!]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
    if (found.at(-1)!.length + encoded.length > SEGMENT) found.push('')
    found[found.length - 1] += encoded
  }
  return found
}
