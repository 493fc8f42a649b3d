import { base64Length, writeBase64 } from './base64.ts'

/** A stretch of a message: text as it is, or bytes that become base64 only when they are written. */
export type Chunk = string | { readonly base64: Buffer }

/** All chunks in one buffer that is allocated once: a large attachment exists as itself and in the message, never in between. */
export function assemble(chunks: readonly Chunk[]): Buffer {
  const message = Buffer.allocUnsafe(chunks.reduce((total, chunk) => total + lengthOf(chunk), 0))
  let at = 0
  for (const chunk of chunks) at += write(chunk, message, at)
  return message
}

function lengthOf(chunk: Chunk): number {
  return typeof chunk === 'string' ? Buffer.byteLength(chunk) : base64Length(chunk.base64.length)
}

function write(chunk: Chunk, into: Buffer, at: number): number {
  return typeof chunk === 'string' ? into.write(chunk, at) : writeBase64(chunk.base64, into, at)
}
