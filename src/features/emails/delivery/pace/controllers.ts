import { RetryStagger, TokenBucket } from './bucket.ts'
import { isSetBack, type PaceState } from './controller.ts'
import { destinationNameOf, identityOf, type MailTarget } from './identity.ts'
import { keyText, MAX_CONTROLLERS, type PaceKey, type UpdatedPace } from './store.ts'

/** A controller as this node has it. */
export interface NodeController {
  readonly key: PaceKey
  state: PaceState
  /** The last one that asked for less. */
  reply: string
  readonly bucket: TokenBucket
  readonly turns: RetryStagger
  /** The ceiling of all nodes, over all nodes; null until the first mail. */
  connections: number | null
  /** Heard here, and told to nobody yet. */
  taken: number
  deferred: number
}

const NONE: readonly NodeController[] = []

/** The controllers that there are, by destination: most destinations have none. */
export class Controllers {
  readonly #byDestination = new Map<string, NodeController[]>()
  readonly #now: () => number
  #count = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get count(): number {
    return this.#count
  }

  at(destination: string): readonly NodeController[] | undefined {
    return this.#count === 0 ? undefined : this.#byDestination.get(destination)
  }

  find(key: PaceKey): NodeController | undefined {
    return this.#byDestination.get(key.destination)?.find((local) => keyText(local.key) === keyText(key))
  }

  /** Those that are about this mail. */
  of({ destination, identities }: MailTarget): readonly NodeController[] {
    if (this.#count === 0) return NONE
    const held = this.#byDestination.get(destinationNameOf(destination))
    if (!held) return NONE
    return held.filter(({ key }) => identityOf(identities, key.kind) === key.identity)
  }

  *all() {
    for (const held of this.#byDestination.values()) yield* held
  }

  /** Without a state it is gone. */
  set({ state, ...key }: UpdatedPace, reply?: string) {
    const known = this.find(key)
    if (!state) return known && this.#delete(known)
    if (known) {
      if (state.cutAt > known.state.cutAt || isSetBack(known.state, this.#now()))
        known.bucket.restUntil(state.restUntil)
      known.state = state
      known.reply = reply ?? known.reply
      return
    }
    if (this.#count >= MAX_CONTROLLERS) return
    const bucket = new TokenBucket(this.#now())
    if (state.restUntil > this.#now()) bucket.restUntil(state.restUntil)
    const counts = { connections: null, taken: 0, deferred: 0 }
    const local: NodeController = { key, state, reply: reply ?? '', bucket, turns: new RetryStagger(), ...counts }
    this.#byDestination.set(key.destination, [...(this.#byDestination.get(key.destination) ?? []), local])
    this.#count++
  }

  #delete(local: NodeController) {
    const { destination } = local.key
    const left = this.#byDestination.get(destination)!.filter((one) => one !== local)
    if (left.length > 0) this.#byDestination.set(destination, left)
    else this.#byDestination.delete(destination)
    this.#count--
  }
}
