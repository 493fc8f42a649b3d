import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { isPublicAddress } from '../../adapters/dns/public-address.ts'
import { clientOf } from '../../platform/client-address.ts'

/** An idle one takes some 20 kB. */
const IN_ALL = 5_000
/** Of one address out there. Whoever is beside us, a proxy for instance, speaks for many. */
const PER_ADDRESS = 500

/**
 * Bounds on open connections. Where there is no room, the one on which nothing was asked for the longest time makes some: so
 * nobody keeps others out by holding connections, and those on which requests are answered stay.
 */
export class Connections {
  readonly #limits: { readonly inAll: number; readonly perAddress: number }
  readonly #clients = new Map<Socket, string>()
  readonly #counts = new Map<string, number>()
  /** Those without a request under way, the longest idle first. */
  readonly #idle = new Set<Socket>()

  constructor(limits = { inAll: IN_ALL, perAddress: PER_ADDRESS }) {
    this.#limits = limits
  }

  get size(): number {
    return this.#clients.size
  }

  open(socket: Socket) {
    const address = socket.remoteAddress ?? ''
    const client = isPublicAddress(address) ? clientOf(address) : ''
    const isTooMany = client !== '' && (this.#counts.get(client) ?? 0) >= this.#limits.perAddress
    if (isTooMany) return void socket.destroy()
    if (this.#clients.size >= this.#limits.inAll && !this.#makeRoom()) return void socket.destroy()
    this.#clients.set(socket, client)
    this.#counts.set(client, (this.#counts.get(client) ?? 0) + 1)
    this.#idle.add(socket)
    socket.once('close', () => this.#close(socket))
  }

  /** A request has come in on it. */
  use(socket: Socket) {
    this.#idle.delete(socket)
  }

  /** The request was answered. */
  rest(socket: Socket) {
    if (this.#clients.has(socket)) this.#idle.add(socket)
  }

  #makeRoom(): boolean {
    const [longest] = this.#idle
    if (!longest) return false
    this.#close(longest)
    longest.destroy()
    return true
  }

  #close(socket: Socket) {
    const client = this.#clients.get(socket)
    if (client === undefined) return
    this.#clients.delete(socket)
    this.#idle.delete(socket)
    const count = this.#counts.get(client)! - 1
    if (count > 0) this.#counts.set(client, count)
    else this.#counts.delete(client)
  }
}

export function boundConnections(app: FastifyInstance, connections = new Connections()) {
  app.server.on('connection', (socket) => connections.open(socket))
  app.addHook('onRequest', (request, _reply, done) => {
    connections.use(request.raw.socket)
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    connections.rest(request.raw.socket)
    done()
  })
}
