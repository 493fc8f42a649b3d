import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bodyTooLarge, MAX_BODY_BYTES } from './json-limits.ts'
import { JsonReader, MAX_KEPT_BYTES, textOf } from './json-reader.ts'
import { isLargeBody, LargeBodies } from './large-bodies.ts'
import { putLongValues, takesBytes } from './long-values.ts'
import { Problem } from './problem.ts'
import { redact } from './redact.ts'
import { MAX_SHORT_BYTES, parseJson, parseShortBody } from './short-json.ts'
import { refuseUnstorable } from './storable.ts'

type Done = (error: Error | null, body?: unknown) => void

/**
 * Bodies are JSON, whether the client says so or says nothing. The SDK names the content type also when there is no body
 * (GET, DELETE, `POST …/cancel`), so an empty one is simply no body.
 */
export function readBodies(app: FastifyInstance) {
  const largeBodies = new LargeBodies()
  const readJson = (request: FastifyRequest, payload: Readable, done: Done) =>
    isShort(request)
      ? collectShortJson(request, payload, done)
      : whenMemoryIsFree(largeBodies, request, done, () => collectJson(request, payload, done))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json\b/i, readJson)
  app.addContentTypeParser('*', (request, payload, done) => {
    const { endpoint } = request.routeOptions.config
    if (endpoint?.upload) return done(null)
    if (endpoint && request.headers['content-type'])
      return done(
        new Problem('unsupported_content_type', 'Send JSON, with the header `Content-Type: application/json`.'),
      )
    if (endpoint) readJson(request, payload, done)
    else collectForm(request, payload, done)
  })
}

const limitOf = (request: FastifyRequest) => request.routeOptions.bodyLimit ?? MAX_BODY_BYTES

/** By what it announces, and Node reads no more of it than that. */
const isShort = (request: FastifyRequest) =>
  Number(request.headers['content-length']) <= Math.min(MAX_SHORT_BYTES, limitOf(request))

/** A body that may be large is not begun with before there is room for it in memory. */
function whenMemoryIsFree(largeBodies: LargeBodies, request: FastifyRequest, done: Done, read: () => void) {
  const limit = limitOf(request)
  const { 'content-length': announced = limit } = request.headers
  if (Number(announced) > limit) return done(bodyTooLarge(limit))
  const { actor } = request.exchange
  if (!actor || !isLargeBody(Number(announced))) return read()
  largeBodies
    .hold(actor.team, Math.min(Number(announced), MAX_KEPT_BYTES), () => {
      if (request.raw.destroyed) return Promise.resolve()
      const isAnswered = new Promise<void>((resolve) => {
        request.exchange.release = resolve
      })
      read()
      return isAnswered
    })
    .catch(done)
}

function collectShortJson(request: FastifyRequest, payload: Readable, done: Done) {
  const chunks: Buffer[] = []
  collect(payload, MAX_SHORT_BYTES, { write: (chunk) => chunks.push(chunk) }, (error) => {
    if (error) return done(error)
    try {
      const text = textOf(chunks)
      if (text === '') return done(null, undefined)
      const body = parseShortBody(text)
      if (text.includes('\\u')) refuseUnstorable(body, text)
      request.exchange.requestBody = text
      done(null, body)
    } catch (refusal) {
      done(refusal as Error)
    }
  })
}

function collectJson(request: FastifyRequest, payload: Readable, done: Done) {
  const schema = request.routeOptions.config.endpoint?.body
  const reader = new JsonReader({ takesBytes: schema !== undefined && takesBytes(schema) })
  collect(payload, limitOf(request), reader, (error) => {
    if (error) return done(error)
    try {
      const { text } = reader
      if (text === '') done(null, undefined)
      else if (text !== null) done(null, parse(text, reader, request))
      else parseLong(reader, request).then((body) => done(null, body), done)
    } catch (refusal) {
      done(refusal as Error)
    }
  })
}

function parse(text: string, { hasUnicodeEscapes }: JsonReader, { exchange }: FastifyRequest): unknown {
  const body = parseJson(text)
  if (hasUnicodeEscapes) refuseUnstorable(body, text)
  exchange.requestBody = text
  return body
}

async function parseLong(reader: JsonReader, request: FastifyRequest): Promise<unknown> {
  const { endpoint } = request.routeOptions.config
  const { text, longValues } = reader.outline
  const body = await putLongValues(parseJson(text), longValues, endpoint?.body)
  if (reader.hasUnicodeEscapes) refuseUnstorable(body)
  // The log keeps nothing that is as long as this, unless what makes it long is left out.
  request.exchange.requestBody = redact('', endpoint?.describedAs ?? endpoint?.body, body) || null
  return body
}

/** A form on one of our own pages. */
function collectForm(request: FastifyRequest, payload: Readable, done: Done) {
  const limit = limitOf(request)
  if (Number(request.headers['content-length']) > limit) return done(bodyTooLarge(limit))
  const chunks: Buffer[] = []
  collect(payload, limit, { write: (chunk) => chunks.push(chunk) }, (error) =>
    error ? done(error) : done(null, Buffer.concat(chunks).toString()),
  )
}

/** Hands chunks on up to the end, the limit or a refusal, whichever comes first, and takes no more after it. */
function collect(
  payload: Readable,
  limit: number,
  reader: { write(chunk: Buffer): unknown },
  done: (error: Error | null) => void,
) {
  let size = 0
  let isOver = false
  const finish = (error: Error | null) => {
    if (isOver) return
    isOver = true
    if (error) payload.pause()
    done(error)
  }
  payload.on('data', (chunk: Buffer) => {
    if (isOver) return
    size += chunk.length
    if (size > limit) return finish(bodyTooLarge(limit))
    try {
      reader.write(chunk)
    } catch (refusal) {
      finish(refusal as Error)
    }
  })
  payload.on('error', finish)
  payload.on('end', () => finish(null))
}
