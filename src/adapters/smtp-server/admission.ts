import type { Socket } from 'node:net'
import { clientOf } from '../../platform/client-address.ts'

/** Counts the connections that are open, in all and of each client, and says whether one more may come in. */
export class Admission {
  readonly #limits: { readonly sessions: number; readonly sessionsPerAddress: number }
  readonly #clients = new Map<Socket, string>()
  readonly #counts = new Map<string, number>()

  constructor(limits: { readonly sessions: number; readonly sessionsPerAddress: number }) {
    this.#limits = limits
  }

  get size(): number {
    return this.#clients.size
  }

  /** Whoever is let in counts until the socket closes. */
  admit(socket: Socket, address: string): boolean {
    const client = clientOf(address)
    const count = this.#counts.get(client) ?? 0
    if (this.#clients.size >= this.#limits.sessions || count >= this.#limits.sessionsPerAddress) return false
    this.#clients.set(socket, client)
    this.#counts.set(client, count + 1)
    socket.once('close', () => this.#leave(socket))
    return true
  }

  #leave(socket: Socket) {
    const client = this.#clients.get(socket)
    if (client === undefined) return
    this.#clients.delete(socket)
    const count = this.#counts.get(client)! - 1
    if (count > 0) this.#counts.set(client, count)
    else this.#counts.delete(client)
  }
}
