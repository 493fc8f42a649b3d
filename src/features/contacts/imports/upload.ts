import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import type { RawBody } from '../../../kernel/http/endpoint.ts'
import { bodyTooLarge } from '../../../kernel/http/json-limits.ts'
import { Problem } from '../../../kernel/http/problem.ts'

const FILE_FIELD = 'file'

/**
 * Reads a form with one file. The file is handed on in pieces of one size while it arrives, and the sender waits when we do:
 * two pieces are in memory, whatever the size of the file. Returns the other fields, which may come before or after it. Whoever may not
 * do this any more when the form ends is refused.
 */
export async function receiveUpload(
  raw: RawBody,
  options: { maxBytes: number; pieceBytes: number; keep(piece: Buffer): Promise<void> },
): Promise<Record<string, string>> {
  const form = openForm(raw, options.maxBytes)
  const fields: Record<string, string> = {}
  let file: Readable | undefined
  let stored: Promise<void> | undefined
  form.on('field', (name, value) => {
    fields[name] = value
  })
  form.on('file', (name, stream) => {
    stream.on('error', () => {}) // told again by the form; unheard, it would end the process
    if (name !== FILE_FIELD || file) return void stream.resume()
    file = stream
    stored = keepPieces(stream, options)
    stored.catch((error) => form.destroy(error))
  })
  try {
    // Not a pipeline: that would cut off a sender who is still to be told what was wrong.
    raw.stream.pipe(form)
    await Promise.all([finished(raw.stream, { writable: false }), finished(form)])
  } catch (error) {
    const problem = unreadable(error)
    raw.stream.unpipe(form)
    file?.destroy(problem) // the rest of it will not come
    await stored // the real reason, when it was us who could not go on
    throw problem
  }
  if (!stored) throw new Problem('missing_required_field', `Missing \`${FILE_FIELD}\` field.`)
  await stored
  await raw.admitAgain()
  return fields
}

function openForm(raw: RawBody, maxBytes: number): BusboyInstance {
  if (!/^multipart\/form-data\b/i.test(raw.headers['content-type'] ?? ''))
    throw new Problem('unsupported_content_type', 'Send the file as `multipart/form-data`.')
  try {
    const limits = { fileSize: maxBytes, files: 2, fields: 20, fieldSize: 1024 * 1024, parts: 30, headerPairs: 100 }
    return new Busboy({ headers: raw.headers as BusboyHeaders, limits })
  } catch (error) {
    throw unreadable(error)
  }
}

const unreadable = (error: unknown) =>
  new Problem('malformed_request', `The form could not be read: ${(error as Error).message}`)

async function keepPieces(
  stream: Readable & { truncated?: boolean },
  options: { maxBytes: number; pieceBytes: number; keep(piece: Buffer): Promise<void> },
) {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(stream)) {
    let rest = chunk
    while (size + rest.length >= options.pieceBytes) {
      const fits = options.pieceBytes - size
      await options.keep(Buffer.concat([...chunks, rest.subarray(0, fits)]))
      rest = rest.subarray(fits)
      chunks = []
      size = 0
    }
    if (rest.length > 0) chunks.push(rest)
    size += rest.length
  }
  if (stream.truncated) throw bodyTooLarge(options.maxBytes)
  if (size > 0) await options.keep(Buffer.concat(chunks))
}

/** Tells a file that ends too early, which is the sender's mistake, from a piece that could not be kept, which is ours. */
async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    throw error instanceof Problem ? error : unreadable(error)
  }
}
