import type { Static } from 'typebox'
import { Problem } from '../../kernel/http/problem.ts'
import { slicesOf } from '../../platform/concurrency/long-text.ts'
import type { AttachmentInput } from './schema.ts'

export const refusedAttachment = (message: string) => new Problem('invalid_attachment', message)

/** The bytes of an attachment. Text is taken as text: its encoding is UTF-8, and whoever reads the mail should know. */
export interface Decoded {
  readonly content: Buffer
  readonly isText: boolean
}

/** The forms in which clients send a file: base64, what JSON makes of a Buffer, a list of bytes, or the text itself. */
export async function decodeContent(given: NonNullable<Static<typeof AttachmentInput>['content']>): Promise<Decoded> {
  if (typeof given !== 'string') return { content: bytesOf(Array.isArray(given) ? given : given.data), isText: false }
  const decoded = await decodeBase64(given)
  if (decoded) return { content: decoded, isText: false }
  if (/^data:[^,]{0,200};base64,/i.test(given.slice(0, 256)))
    throw refusedAttachment('The `content` of an attachment must be base64 without `data:…;base64,` in front of it.')
  return { content: await encodeText(given), isText: true }
}

function bytesOf(bytes: readonly number[]): Buffer {
  if (bytes.some((byte) => byte < 0 || byte > 255))
    throw refusedAttachment('The `content` of an attachment must be bytes from 0 to 255.')
  return Buffer.from(bytes)
}

/**
 * Null when it is text. Whatever can be base64 is: `test` is three bytes, as it is for every client that expects base64. Words with
 * spaces between them, lines of any length, and ends that no encoder writes are text.
 * Looks for what does not belong there instead of describing the whole: a pattern for 40 MB must not have to go back. Slice by
 * slice, for 40 MB in one go would keep everybody else waiting for a fifth of a second.
 */
async function decodeBase64(text: string): Promise<Buffer | null> {
  const { end, padding } = endOfBase64(text)
  if (!isInLines(text, padding)) return null
  const decoded: Buffer[] = []
  let characters = ''
  let length = 0
  for await (const slice of slicesOf(text.slice(0, end))) {
    const compact = slice.replace(/\s+/g, '')
    if (/[^A-Za-z0-9+/_-]/.test(compact)) return null
    length += compact.length
    characters += compact
    const whole = characters.length - (characters.length % 4)
    decoded.push(Buffer.from(characters.slice(0, whole), 'base64'))
    characters = characters.slice(whole)
  }
  if (!isEnd(characters, padding)) {
    if (length > LONGEST_WORD) throw refusedAttachment('The `content` of an attachment is base64 that was cut off.')
    return null
  }
  decoded.push(Buffer.from(characters, 'base64'))
  return Buffer.concat(decoded)
}

/** No word and no key has so many letters and digits in a row: what is longer was meant as base64. */
const LONGEST_WORD = 1_024

/** White space and the two signs that fill up the last group: nobody sends more of it than this. */
const LONGEST_END = 1_024

function endOfBase64(text: string): { end: number; padding: number } {
  const tail = text.slice(-LONGEST_END)
  const bare = tail.trimEnd()
  const [filling = ''] = /=\s{0,4}=?$/.exec(bare) ?? []
  return { end: text.length - tail.length + bare.length - filling.length, padding: filling.replace(/\s/g, '').length }
}

/** Encoders end with the padding that is missing, or without any; the bits that no byte needs are zero. */
function isEnd(characters: string, padding: number): boolean {
  if (padding > 0) return characters.length + padding === 4
  const standard = characters.replaceAll('-', '+').replaceAll('_', '/')
  return Buffer.from(standard, 'base64').toString('base64').replace(/=+$/, '') === standard
}

/** What the beginning shows of the lines: encoders make them all equally long, in groups of four, and none shorter than this. */
const SAMPLE = 4_096
const SHORTEST_LINE = 20

function isInLines(text: string, padding: number): boolean {
  const lines = text
    .slice(0, SAMPLE)
    .trim()
    .split('\n')
    .map((line) => line.trim())
  if (lines.some((line) => /\s(?!=)/.test(line))) return false
  const [first, ...rest] = lines
  if (rest.length === 0) return text === '' || first !== ''
  const width = first!.length
  const isEven = width % 4 === 0 && rest.slice(0, -1).every(({ length }) => length === width)
  return isEven && rest.at(-1)!.length <= width && (padding > 0 || width >= SHORTEST_LINE)
}

async function encodeText(text: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let held = ''
  for await (const slice of slicesOf(text)) {
    const piece = held + slice
    // A character of two halves is not cut in two.
    held = /[\ud800-\udbff]$/.test(piece) ? piece.slice(-1) : ''
    pieces.push(Buffer.from(held ? piece.slice(0, -1) : piece))
  }
  pieces.push(Buffer.from(held))
  return Buffer.concat(pieces)
}
