import { isUtf8 } from 'node:buffer'
import type { Chunk } from '../mime/chunk.ts'
import { encodeBytes, escapeBytes } from '../mime/text-encoding.ts'
import { decodeTransfer } from '../parse/transfer-encoding.ts'
import type { Steps } from '../steps.ts'
import { type Tracker, trackHtml } from '../tracked-html.ts'
import { unfoldedValue, type WrittenField } from './fields.ts'
import type { OpenPart } from './layout.ts'
import { findLongLine } from './lines.ts'

/** The content of a part that had to change, with what its header says of it from now on. Null: what it said before. */
export interface ChangedPart {
  readonly part: OpenPart
  readonly encoding: string | null
  readonly type: string | null
  readonly content: readonly Chunk[]
}

/** In its own transfer encoding if that will do. Null: nothing has to change. */
export function* changePart(
  raw: Buffer,
  part: OpenPart,
  { tracker, isSevenBit }: { tracker: Tracker | null; isSevenBit: boolean },
): Steps<ChangedPart | null> {
  const written = raw.subarray(part.start, part.end)
  const tracked =
    tracker && part.isHtml ? yield* trackBytes(yield* decodeTransfer(written, part.encoding), part, tracker) : null
  const mustEncode = part.mustEncode || (isSevenBit && part.isEightBit)
  if (!tracked && !mustEncode) return null
  if (part.encoding === 'base64')
    return { part, encoding: null, type: null, content: tracked ? [{ base64: tracked }] : yield* rewrapped(written) }
  const content = tracked ?? (yield* decodeTransfer(written, part.encoding))
  if (part.encoding === 'quoted-printable')
    return { part, encoding: null, type: null, content: yield* escapeBytes(content) }
  if (!mustEncode && findLongLine(content, 0) < 0) return { part, encoding: null, type: null, content: [content] }
  if (part.type.startsWith('text/')) return { part, type: null, ...(yield* encodeBytes(content)) }
  // A message must not be encoded (RFC 2046, 5.2.1): one that has to be is any other file.
  const type = part.type.startsWith('message/') ? 'application/octet-stream' : null
  return { part, encoding: 'base64', type, content: [{ base64: content }] }
}

// Those in which every byte of ASCII is a character of ASCII, or at least none of those that html is made of.
const ASCII_INSIDE =
  /^(?:us-ascii|ascii|(?:x-)?(?:iso-?8859|windows|cp|ibm|koi8|mac|euc|gb|tis)[\w-]*|latin\d|big5|shift[_-]jis|sjis)$/i

/**
 * Html with its links replaced, in the charset that it is in: what is put in is ASCII. Beyond UTF-8 a link with other letters in it stays
 * as it is. Null: the charset is one in which links cannot be found among the bytes.
 */
function* trackBytes(html: Buffer, { charset }: OpenPart, tracker: Tracker): Steps<Buffer | null> {
  if (isUtf8(html) && !/^(?:utf-?(?:7|16|32)|iso-2022|hz)/i.test(charset ?? ''))
    return Buffer.from(yield* trackHtml(html.toString('utf8'), tracker))
  if (charset !== null && !ASCII_INSIDE.test(charset)) return null
  const linkUrl = (target: string) => (/^[!-~]*$/.test(target) ? tracker.linkUrl(target) : null)
  return Buffer.from(yield* trackHtml(html.toString('latin1'), { ...tracker, linkUrl }), 'latin1')
}

const SLICE = 64 * 1_024
const LINE = 76

/** Base64 whose lines are too long, in lines of 76 characters. */
function* rewrapped(content: Buffer): Steps<readonly Chunk[]> {
  const chunks: Chunk[] = []
  let characters = ''
  for (let from = 0; from < content.length; from += SLICE) {
    characters += content.toString('latin1', from, from + SLICE).replace(/[^A-Za-z0-9+/=]+/g, '')
    const isLast = from + SLICE >= content.length
    const whole = isLast ? characters.length : characters.length - (characters.length % LINE)
    const lines = characters.slice(0, whole).match(/.{1,76}/g) ?? []
    if (lines.length > 0) chunks.push(Buffer.from(`${chunks.length > 0 ? '\r\n' : ''}${lines.join('\r\n')}`, 'latin1'))
    characters = characters.slice(whole)
    yield
  }
  return chunks
}

/** The header of a part with what is different about it now. */
export function changedFields(fields: readonly WrittenField[], { encoding, type }: ChangedPart): WrittenField[] {
  const key = 'content-transfer-encoding'
  const others = encoding === null ? [...fields] : fields.filter((field) => field.key !== key)
  const named = others.map((field) => (type !== null && field.key === 'content-type' ? retyped(field, type) : field))
  if (encoding === null) return named
  const name = 'Content-Transfer-Encoding'
  return [...named, { name, key, source: `${name}: ${encoding}` }]
}

/** With its parameters: the name of the file is one of them. */
function retyped(field: WrittenField, type: string): WrittenField {
  return { ...field, source: `${field.name}: ${unfoldedValue(field).replace(/^[^;]*/, type)}` }
}
