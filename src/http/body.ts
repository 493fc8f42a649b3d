import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
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
    const { endpoint } = request.routeOptions.config
    if (endpoint?.upload) return done(null)
    if (endpoint && request.headers['content-type'])
      return done(
        new Problem('unsupported_content_type', 'Send JSON, with the header `Content-Type: application/json`.'),
      )
    const limit = request.routeOptions.bodyLimit ?? MAX_BODY_BYTES
    collect(payload, limit, (error, bytes) => {
      if (error) done(error)
      else if (endpoint) parseJson(request, bytes, done)
      else done(null, bytes.toString()) // a form on one of our own pages
    })
  })
}

function collect(payload: Readable, limit: number, done: (error: Error | null, bytes: Buffer) => void) {
  const chunks: Buffer[] = []
  let size = 0
  payload.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= limit) chunks.push(chunk)
  })
  payload.on('error', (error) => done(error, Buffer.alloc(0)))
  payload.on('end', () => done(size > limit ? bodyTooLarge(limit) : null, Buffer.concat(chunks)))
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
