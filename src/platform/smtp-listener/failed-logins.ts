import { clientOf } from '../client-address.ts'

// A client with an old password that tries once a minute never comes to the end of this, and one that guesses has six tries a
// minute, however many sessions it opens.
const AT_ONCE = 30
const FORGOTTEN_AFTER_MS = 10_000
/** Some 2 MB. When it is full, whoever has failed least recently is forgotten first. */
const MAX_CLIENTS = 10_000

/** Counts failed logins of each client (IPv6: of each /64) over all its sessions. */
export class FailedLogins {
  readonly #now: () => number
  readonly #maxClients: number
  /** When the last of its failures will be forgotten, so that the count is a matter of time alone. */
  readonly #clearAt = new Map<string, number>()

  constructor({ now = () => performance.now(), maxClients = MAX_CLIENTS } = {}) {
    this.#now = now
    this.#maxClients = maxClients
  }

  add(address: string) {
    const client = clientOf(address)
    const clearAt = Math.max(this.#clearAt.get(client) ?? 0, this.#now()) + FORGOTTEN_AFTER_MS
    this.#clearAt.delete(client)
    this.#clearAt.set(client, clearAt)
    if (this.#clearAt.size > this.#maxClients) this.#clearAt.delete(this.#clearAt.keys().next().value!)
  }

  hasTooMany(address: string): boolean {
    const client = clientOf(address)
    const left = (this.#clearAt.get(client) ?? 0) - this.#now()
    if (left <= 0) this.#clearAt.delete(client)
    return left > (AT_ONCE - 1) * FORGOTTEN_AFTER_MS
  }

  get size(): number {
    return this.#clearAt.size
  }
}
