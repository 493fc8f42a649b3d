import type { Clock } from '../../platform/clock.ts'
import { type Destination, poolNameOf } from './destination.ts'
import { DestinationPool, type PoolLimits } from './destination-pool.ts'

const MAX_CONNECTIONS = 5
const MIN_POOLS_TO_SWEEP = 1_000
/** What was learnt about a destination is forgotten after an hour without use. */
const IDLE_TTL_MS = 3_600_000

/** The pools in use, and those of which something is worth remembering. A big sender meets a million domains. */
export class DestinationPools {
  readonly #pools = new Map<string, DestinationPool>()
  readonly #clock: Clock
  readonly #limits: PoolLimits
  readonly #maxConnections: number
  #sweepAt = MIN_POOLS_TO_SWEEP

  constructor(options: { clock: Clock; limits: PoolLimits; maxConnections?: number | undefined }) {
    this.#maxConnections = options.maxConnections ?? MAX_CONNECTIONS
    this.#clock = options.clock
    this.#limits = options.limits
  }

  to(destination: Destination): DestinationPool {
    const { maxConnections = this.#maxConnections } = destination
    const name = poolNameOf(destination)
    const known = this.#pools.get(name)
    known?.allow(maxConnections, destination)
    if (known) return known
    if (this.#pools.size >= this.#sweepAt) this.#sweep()
    const pool = new DestinationPool({ clock: this.#clock, limits: this.#limits, maxConnections })
    pool.allow(maxConnections, destination)
    this.#pools.set(name, pool)
    return pool
  }

  find(name: string): DestinationPool | undefined {
    return this.#pools.get(name)
  }

  all(): [name: string, pool: DestinationPool][] {
    return [...this.#pools]
  }

  #sweep() {
    const forgetBeforeMs = this.#clock.now().getTime() - IDLE_TTL_MS
    for (const [name, pool] of this.#pools) {
      const isForgotten = pool.rest.lastMs < forgetBeforeMs
      if (pool.connections === 0 && isForgotten && !pool.hasLearnt) this.#pools.delete(name)
    }
    this.#sweepAt = Math.max(MIN_POOLS_TO_SWEEP, this.#pools.size * 2)
  }
}
