import { roughText } from '../rough-text.ts'
import type { Found } from './finding.ts'

/** What Gmail shows of a message, in bytes of its HTML. The rest is behind “View entire message”. */
export const CLIPPED_BYTES = 102 * 1024

export function findClipping(html: string): Found[] {
  const bytes = html.length > 8 * CLIPPED_BYTES ? html.length : new TextEncoder().encode(html).length
  const size = `${Math.round(bytes / 1024)} kB`
  if (bytes > CLIPPED_BYTES)
    return [
      {
        check: 'clipping',
        severity: 'error',
        title: `Gmail clips the message: the HTML is ${size}, the limit is 102 kB`,
        detail:
          'What is behind this place is not seen, the way to unsubscribe and the picture that counts opens among it.',
        at: offsetOfByte(html, CLIPPED_BYTES),
      },
    ]
  if (bytes > CLIPPED_BYTES * 0.9)
    return [
      {
        check: 'clipping',
        severity: 'notice',
        title: `The HTML is ${size}: Gmail clips messages at 102 kB`,
        detail: 'What is put in on the way, like tracked links, counts too.',
      },
    ]
  return []
}

const offsetOfByte = (html: string, bytes: number) =>
  new TextDecoder().decode(new TextEncoder().encode(html.slice(0, bytes)).subarray(0, bytes)).length

/** In characters: so much of both is compared. */
const MAX_COMPARED_LENGTH = 65_536
const MIN_WORDS = 20
const ALIKE = 0.5

/** What is wrong with the text beside the html. */
export function findTextFaults({ html, text }: { html: string | null; text: string | null }): Found[] {
  if (html === null) return []
  if (text === null || text.trim() === '')
    return [
      {
        check: 'text',
        severity: 'warning',
        title: 'No text part',
        detail: 'Filters take it for a sign of spam, and watches and terminals show nothing.',
      },
    ]
  const [shown, said] = [
    wordsOf(roughText(html.slice(0, MAX_COMPARED_LENGTH))),
    wordsOf(text.slice(0, MAX_COMPARED_LENGTH)),
  ]
  if (shown.size < MIN_WORDS) return []
  let common = 0
  for (const word of shown) if (said.has(word)) common += 1
  const share = common / shown.size
  if (share >= ALIKE) return []
  return [
    {
      check: 'text',
      severity: 'warning',
      title: 'The text part differs from the HTML',
      detail: `It has ${Math.round(share * 100)} % of the words of the HTML.`,
    },
  ]
}

/** Chinese and Japanese have no spaces: there each character counts. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]{3,}/gu

const wordsOf = (text: string) => new Set(text.toLowerCase().match(WORD) ?? [])
