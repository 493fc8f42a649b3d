import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE } from './endpoint.ts'
import { Problem } from './problem.ts'

/** What is read of a request before it is known who sends it: what the kernel hands over at once, 64 kB. */
export const MAX_UNAUTHENTICATED_BYTES = 64 * 1024

/** What a form on one of our own pages may measure. With what the kernel hands over at once it stays in the order of the above. */
export const MAX_FORM_BYTES = 16 * 1024

/** Beyond this, what is left of a body that we refuse is not worth receiving, also from somebody we know. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024

/** How long an answer waits to be read by somebody who is still sending. */
const LINGER_MS = { actor: 30_000, unauthenticated: 1_000 }

const isLong = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_UNAUTHENTICATED_BYTES

/** Stops reading from a socket until somebody wants the body, and so lets the sender wait. Short bodies are here already. */
export function leaveUnread(request: FastifyRequest) {
  if (isLong(request) && request.raw.socket instanceof Socket) request.raw.socket.pause()
}

/** Nothing but an endpoint reads a body that its sender calls GET, so nothing bounds it either. */
export function refuseIdleBody(request: FastifyRequest) {
  const isRead = request.routeOptions.config.endpoint !== undefined || !/^(?:GET|HEAD|OPTIONS)$/.test(request.method)
  if (!isRead && isLong(request)) throw new Problem('body_too_large', 'This endpoint does not accept a body.')
}

/** Whether an answer given now would be given to somebody who is still sending. */
export const isUnread = (request: FastifyRequest) =>
  isLong(request) && !request.raw.complete && request.raw.socket instanceof Socket

/**
 * Answers a request whose body is not read, and closes the connection. One that is closed while the other side is sending takes
 * the answer with it, so it stays open for a moment: somebody we know may send on for a while, and an unauthenticated client finds nobody reading.
 */
export function answerUnread(request: FastifyRequest, reply: FastifyReply, text: string) {
  // A tick later: one that was just asked to read begins to do so in between, whatever it was told since.
  if (!request.exchange.actor) process.nextTick(() => request.raw.socket.pause())
  reply.header('connection', 'close').header('content-length', Buffer.byteLength(text))
  // Ended as usual, the connection would be read from once more.
  if (!request.exchange.actor) reply.raw.on('finish', () => request.raw.socket.destroy())
  if (request.method === 'HEAD') return reply.send()
  return reply.send(Readable.from(lingering(text, request), { objectMode: false }))
}

/**
 * Not HTTP at all, or headers beyond all measure: there is no request yet to answer through the framework. What else comes is not read,
 * and the connection stays open for a moment, so that the answer arrives.
 */
export function answerGarbage(_error: Error, socket: Socket) {
  if (!socket.writable) return
  const text = JSON.stringify(new Problem('malformed_request', 'This is not a valid HTTP request.'))
  socket.pause()
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  )
  const timer = setTimeout(() => socket.destroy(), LINGER_MS.unauthenticated)
  socket.on('close', () => clearTimeout(timer))
}

async function* lingering(text: string, { raw, exchange }: FastifyRequest) {
  yield Buffer.from(text)
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, exchange.actor ? LINGER_MS.actor : LINGER_MS.unauthenticated)
    const finish = () => {
      clearTimeout(timer)
      resolve()
    }
    raw.on('close', finish)
    if (exchange.actor) drop(raw, finish)
  })
}

/** A client that is still sending does not look at the answer yet: closing the connection on it would lose the answer. */
function drop(raw: IncomingMessage, finish: () => void) {
  let dropped = 0
  raw.on('end', finish)
  raw.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped <= MAX_DROPPED_BYTES) return
    raw.pause()
    finish()
  })
  raw.resume()
}
