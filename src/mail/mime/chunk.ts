import type { Steps } from '../steps.ts'
import { base64Length, writeBase64 } from './base64.ts'

/** A part of a message: text or bytes as they are, or bytes that become base64 only when they are written. */
export type Chunk = string | Buffer | { readonly base64: Buffer }

/** All chunks in one buffer that is allocated once: a large attachment exists as itself and in the message, never in between. */
export function* assemble(chunks: readonly Chunk[]): Steps<Buffer> {
  const message = Buffer.allocUnsafe(chunks.reduce((total, chunk) => total + lengthOf(chunk), 0))
  let at = 0
  for (const chunk of chunks) at += yield* write(chunk, message, at)
  return message
}

export function endsLine(chunk: Chunk | undefined): boolean {
  if (Buffer.isBuffer(chunk)) return chunk.at(-1) === 0x0a
  return typeof chunk === 'string' && chunk.endsWith('\n')
}

function lengthOf(chunk: Chunk): number {
  if (Buffer.isBuffer(chunk)) return chunk.length
  return typeof chunk === 'string' ? Buffer.byteLength(chunk) : base64Length(chunk.base64.length)
}

/** 40 MB in one go are 20 ms. */
const LEAP = 4 * 1_048_576

function* copy(bytes: Buffer, into: Buffer, at: number): Steps<number> {
  for (let from = 0; from < bytes.length; from += LEAP) {
    bytes.copy(into, at + from, from, Math.min(from + LEAP, bytes.length))
    if (bytes.length > LEAP) yield
  }
  return bytes.length
}

function* write(chunk: Chunk, into: Buffer, at: number): Steps<number> {
  if (Buffer.isBuffer(chunk)) return yield* copy(chunk, into, at)
  return typeof chunk === 'string' ? into.write(chunk, at) : yield* writeBase64(chunk.base64, into, at)
}
