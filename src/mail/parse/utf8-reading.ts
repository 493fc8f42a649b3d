import { isUtf8 } from 'node:buffer'
import { lazy } from '../lazy.ts'
import { decodeBytes } from './charset.ts'

/** What bytes are when they are read as UTF-8. */
export interface Utf8Reading {
  /** Bytes of characters that are not ASCII. */
  readonly validBytes: number
  readonly brokenBytes: number
  /** Every character that is there; for each broken sequence the character that it is in Windows-1252, where that is clear, or U+FFFD. */
  text(): string
}

export function utf8ReadingOf(bytes: Buffer): Utf8Reading {
  const usual = new Set<number>()
  let [validBytes, brokenBytes] = [0, 0]
  for (let start = 0; start < bytes.length; ) {
    const { length, isValid } = sequenceAt(bytes, start)
    if (!isValid) brokenBytes += length
    else if (length > 1) {
      validBytes += length
      for (let at = start; at < start + length; at += 1) usual.add(bytes[at]!)
    }
    start += length
  }
  return { validBytes, brokenBytes, text: () => textOf(bytes, usual) }
}

function textOf(bytes: Buffer, usual: ReadonlySet<number>): string {
  const pieces: string[] = []
  let validStart = 0
  for (let start = 0; start < bytes.length; ) {
    const { length, isValid } = sequenceAt(bytes, start)
    const end = start + length
    if (!isValid) {
      pieces.push(bytes.toString('utf8', validStart, start), replacementFor(bytes, { start, end, usual }))
      validStart = end
    }
    start = end
  }
  return pieces.join('') + bytes.toString('utf8', validStart)
}

/** The character at a place: its bytes, or those that are the beginning of one which does not go on. */
function sequenceAt(bytes: Buffer, start: number): { length: number; isValid: boolean } {
  const lead = bytes[start]!
  if (lead < 0x80) return { length: 1, isValid: true }
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  if (lead < 0xc2 || lead > 0xf4) return { length: 1, isValid: false }
  let length = 1
  while (length < wanted && isContinuation(bytes[start + length])) length += 1
  const isValid = length === wanted && isUtf8(bytes.subarray(start, start + length))
  return { length: isValid || length < wanted ? length : 1, isValid }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && byte >= 0x80 && byte < 0xc0

/** Of Windows-1252: letters, and the quotation marks and dashes that people type. */
const clear = lazy(
  () =>
    new Map(
      Array.from({ length: 128 }, (_, at) => 0x80 + at).flatMap((byte) => {
        const { text } = decodeBytes(Buffer.of(byte), 'windows-1252')
        return /^[\p{L}…‘’“”–—€]$/u.test(text) ? [[byte, text] as const] : []
      }),
    ),
)

/**
 * A byte between letters that means a letter or a quotation mark in Windows-1252 is one, pasted from elsewhere. Not one that begins or
 * continues characters of this text in other places, nor the last: these are what is left of a character.
 */
function replacementFor(
  bytes: Buffer,
  { start, end, usual }: { start: number; end: number; usual: ReadonlySet<number> },
): string {
  const isPlausible = end - start === 1 && end < bytes.length && !usual.has(bytes[start]!)
  if (!isPlausible || !(isLetter(bytes[start - 1]) || isLetter(bytes[end]))) return '\ufffd'
  return clear().get(bytes[start]!) ?? '\ufffd'
}

const isLetter = (byte = 0) => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a
