import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that are parsed and not answered yet. */
const MAX_IN_FLIGHT = 4
/** Connections on which pipelined requests wait: so many are read on in one turn of the event loop. */
const MAX_RESUMED_A_TURN = 1
/** The least that is parsed of a body whose end is not known beforehand. The shortest request has 18 bytes. */
const MIN_PIECE_BYTES = 256

const END_OF_HEAD = Buffer.from('\r\n\r\n')

const GATE = Symbol('pipelining')
type Gated = Socket & { [GATE]?: PipelineGate }
type Parse = (this: Socket, chunk: Buffer) => void

/**
 * Bounds HTTP pipelining. Node's parser calls the handler for every request of a chunk at once, and 64 kB have room for 2,000 of them.
 * So the parser gets a chunk request by request; the rest goes back into the socket, which is read on in a later turn of the event
 * loop, when requests before it were answered. A chunk with one request, the ordinary case, is handed on as it is.
 */
export function boundPipelining(server: Server) {
  const turns = new PipelineTurns()
  // Behind Node's own listener for connections, which has begun to listen to what the socket reads.
  server.on('connection', (socket) => {
    const [parse] = socket.listeners('data') as Parse[]
    if (!parse) return
    const gate = new PipelineGate(socket, parse, turns)
    ;(socket as Gated)[GATE] = gate
    socket.off('data', parse)
    socket.on('data', (chunk: Buffer) => gate.read(chunk))
  })
  server.prependListener('request', (request, response) => {
    const gate = (request.socket as Gated)[GATE]
    if (!gate) return
    gate.begin(request)
    response.on('close', gate.end)
  })
}

/** Stands between a socket and its parser. */
class PipelineGate {
  readonly #socket: Socket
  readonly #parse: Parse
  readonly #turns: PipelineTurns
  #inFlight = 0
  #newest: IncomingMessage | null = null
  /** Of the newest request's body so many bytes are still to come; null: that is not known. */
  #bodyBytes: number | null = 0
  #isHeld = false

  constructor(socket: Socket, parse: Parse, turns: PipelineTurns) {
    this.#socket = socket
    this.#parse = parse
    this.#turns = turns
  }

  begin(request: IncomingMessage) {
    this.#inFlight++
    this.#newest = request
  }

  readonly end = () => {
    this.#inFlight--
    if (this.#isHeld) this.#turns.add(this)
  }

  /** What was put back comes as the next chunk. */
  resume() {
    this.#isHeld = false
    this.#socket.resume()
  }

  /** Parses a chunk as far as it may now. */
  read(chunk: Buffer) {
    let at = 0
    for (let heads = 0; at < chunk.length && !this.#socket.destroyed; ) {
      const isInBody = this.#newest?.complete === false
      // Requests that Node answers itself, because they have no Host, are counted here only.
      if (!isInBody && Math.max(heads, this.#inFlight) >= MAX_IN_FLIGHT) return this.#hold(chunk.subarray(at))
      if (!isInBody) heads++
      at = isInBody ? this.#parseBody(chunk, at) : this.#parseHead(chunk, at)
      // Whoever reads the body wants no more for now.
      if (at < chunk.length && this.#socket.isPaused()) return void this.#socket.unshift(chunk.subarray(at))
    }
  }

  /** Up to the end of one head; up to the end of the chunk, if no other request can end in it. */
  #parseHead(chunk: Buffer, start: number): number {
    const before = this.#newest
    const bodyStart = endOfHead(chunk, start)
    const end = bodyStart === null || endOfHead(chunk, bodyStart) === null ? chunk.length : bodyStart
    this.#parse.call(this.#socket, start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end))
    if (this.#newest !== before)
      this.#bodyBytes = bodyStart === null ? null : bodyBytesOf(this.#newest!, end - bodyStart)
    return end
  }

  #parseBody(chunk: Buffer, start: number): number {
    const before = this.#newest
    // Without one of its own, a piece that can end at most a few requests.
    const length = this.#bodyBytes || Math.max(MIN_PIECE_BYTES, (endOfHead(chunk, start) ?? chunk.length) - start)
    const end = Math.min(chunk.length, start + length)
    if (this.#bodyBytes !== null) this.#bodyBytes -= end - start
    this.#parse.call(this.#socket, chunk.subarray(start, end))
    if (this.#newest !== before) this.#bodyBytes = null
    return end
  }

  #hold(rest: Buffer) {
    this.#isHeld = true
    this.#socket.pause()
    this.#socket.unshift(rest)
    if (this.#inFlight < MAX_IN_FLIGHT) this.#turns.add(this)
  }
}

function endOfHead(chunk: Buffer, start: number): number | null {
  if (chunk.length - start < END_OF_HEAD.length) return null
  const at = chunk.indexOf(END_OF_HEAD, start)
  return at < 0 ? null : at + END_OF_HEAD.length
}

function bodyBytesOf({ headers }: IncomingMessage, read: number): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) - read : null
}

/** Connections take turns, one in each turn of the event loop: what arrives on others is not kept waiting. */
class PipelineTurns {
  readonly #waiting = new Set<PipelineGate>()

  add(gate: PipelineGate) {
    if (this.#waiting.size === 0) setImmediate(() => this.#next())
    this.#waiting.add(gate)
  }

  #next() {
    let resumed = 0
    for (const gate of this.#waiting) {
      if (resumed++ === MAX_RESUMED_A_TURN) break
      this.#waiting.delete(gate)
      gate.resume()
    }
    if (this.#waiting.size > 0) setImmediate(() => this.#next())
  }
}
