import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'
import { refuseUnstorable } from './storable.ts'

/** What a JSON body may measure. Endpoints that take uploads have their own limit and read the stream themselves. */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * Bodies are JSON, whether the client says so or says nothing. The SDK names the content type also when there is no body
 * (GET, DELETE, `POST …/cancel`), so an empty one is simply no body.
 */
export function readBodies(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json\b/i, { parseAs: 'buffer' }, parseJson)
  app.addContentTypeParser('*', (request, payload, done) => {
    const contentType = request.headers['content-type']
    if (request.routeOptions.config.endpoint?.upload) return done(null)
    if (contentType)
      return done(
        new Problem('unsupported_content_type', 'Send JSON, with the header `Content-Type: application/json`.'),
      )
    const chunks: Buffer[] = []
    let size = 0
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) chunks.push(chunk)
    })
    payload.on('error', done)
    payload.on('end', () =>
      size > MAX_BODY_BYTES ? done(bodyTooLarge(MAX_BODY_BYTES)) : parseJson(request, Buffer.concat(chunks), done),
    )
  })
}

function parseJson(
  request: FastifyRequest,
  bytes: string | Buffer,
  done: (error: Error | null, body?: unknown) => void,
) {
  try {
    done(null, bytes.length === 0 ? undefined : read(bytes as Buffer, request))
  } catch (error) {
    done(error as Error)
  }
}

function read(bytes: Buffer, request: FastifyRequest): unknown {
  if (!isUtf8(bytes)) throw new Problem('malformed_request', 'The request body is not valid UTF-8.')
  const text = bytes.toString()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new Problem('malformed_request', 'The request body is not valid JSON.')
  }
  refuseUnstorable(body, text)
  request.exchange.requestBody = text
  return body
}

export function bodyTooLarge(maxBytes: number) {
  const megabytes = Math.floor(maxBytes / (1024 * 1024))
  return new Problem('body_too_large', `The request body is too large. The limit is ${megabytes} MB.`)
}
