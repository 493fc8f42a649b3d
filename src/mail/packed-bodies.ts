import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { BODIES_DICTIONARY } from './bodies-dictionary.ts'

// The bodies of an email as one value: html and text mostly say the same, so together they deflate to a quarter. In front stand a version and both lengths in
// bytes of UTF-8, three bytes each, so that SQL can tell them (`packed_bytes`).

export interface Bodies {
  readonly html: string | null
  readonly text: string | null
}

const VERSION = 1
const HEAD_BYTES = 7
const ABSENT = 0xff_ff_ff
/** Level 6 takes four times as long for what is long, and saves 2 %. */
const DEFLATE = { level: 1, dictionary: BODIES_DICTIONARY }
/** 0.3 ms to deflate. PostgreSQL compresses what is larger by itself. */
export const MAX_PACKED_BYTES = 64 * 1024

/** Null: they are better kept as they are. */
export function packBodies({ html, text }: Bodies): Buffer | null {
  // Bytes are no fewer than characters, so most of what is too long is not encoded at all.
  if ((html?.length ?? 0) + (text?.length ?? 0) > MAX_PACKED_BYTES) return null
  if (!isStorable(html) || !isStorable(text)) return null
  const [htmlBytes, textBytes] = [Buffer.from(html ?? ''), Buffer.from(text ?? '')]
  const bytes = htmlBytes.length + textBytes.length
  if (bytes > MAX_PACKED_BYTES) return null
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head[0] = VERSION
  head.writeUIntBE(html === null ? ABSENT : htmlBytes.length, 1, 3)
  head.writeUIntBE(text === null ? ABSENT : textBytes.length, 4, 3)
  const packed = Buffer.concat([head, deflateRawSync(Buffer.concat([htmlBytes, textBytes], bytes), DEFLATE)])
  return packed.length < bytes ? packed : null
}

/** What PostgreSQL refuses as text is not smuggled past it. */
const isStorable = (text: string | null) => text === null || (text.isWellFormed() && !text.includes('\0'))

export function unpackBodies(packed: Buffer): Bodies {
  if (packed.length < HEAD_BYTES || packed[0] !== VERSION)
    throw new Error(`The bodies of this email are packed in a way that this version does not know (${packed[0]}).`)
  const [htmlBytes, textBytes] = [packed.readUIntBE(1, 3), packed.readUIntBE(4, 3)]
  const end = htmlBytes === ABSENT ? 0 : htmlBytes
  const bytes = end + (textBytes === ABSENT ? 0 : textBytes)
  // Whatever lies in the table, not more than was said.
  const sizes = { maxOutputLength: Math.max(1, bytes), chunkSize: Math.max(64, bytes + 1) }
  const both = inflateRawSync(packed.subarray(HEAD_BYTES), { ...sizes, dictionary: BODIES_DICTIONARY })
  if (both.length !== bytes) throw new Error('The packed bodies of this email are damaged.')
  return {
    html: htmlBytes === ABSENT ? null : both.toString('utf8', 0, end),
    text: textBytes === ABSENT ? null : both.toString('utf8', end),
  }
}

/** A row as JSON, with html and text in the place of `content`, its last field: in base64, or as PostgreSQL writes bytes, `\\x0a`. */
export function unpackLine(line: string, encoding: 'base64' | 'hex'): string {
  // Most of what is not packed is large, and none of it is parsed.
  if (line.endsWith(NOT_PACKED)) return `${line.slice(0, -NOT_PACKED.length)}}`
  const { content, ...row } = JSON.parse(line)
  if (content === null) return JSON.stringify(row)
  return JSON.stringify({ ...row, ...unpackBodies(Buffer.from(content.replace(/^\\x/, ''), encoding)) })
}

const NOT_PACKED = ',"content":null}'
