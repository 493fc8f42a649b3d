import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

/** An answer of a few kilobytes can unfold to gigabytes. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

/** The body without its encoding; null: not understood, or too large. */
export async function decodeBody(body: Uint8Array, encoding: string | undefined): Promise<Buffer | null> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const name = (encoding ?? 'identity').trim().toLowerCase()
  if (name === '' || name === 'identity' || bytes.length === 0) return bytes
  const decode = (DECODERS as Record<string, (typeof DECODERS)['gzip'] | undefined>)[name]
  if (!decode) return null
  return decode(bytes, { maxOutputLength: MAX_DECODED_BYTES }).catch(() => null)
}
