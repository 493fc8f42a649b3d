import type { Clock } from '../clock.ts'
import type { Destination } from './destination.ts'
import { Lane, type LaneLimits } from './lane.ts'

const MAX_CONNECTIONS = 5
const SWEEP_FROM = 1_000
/** What was learnt about a destination is forgotten after an hour without use. */
const REMEMBER_MS = 3_600_000

/** The lanes in use, and those of which something is worth remembering. A big sender meets a million domains. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #clock: Clock
  readonly #limits: LaneLimits
  #sweepAt = SWEEP_FROM

  constructor(options: { clock: Clock; limits: LaneLimits }) {
    this.#clock = options.clock
    this.#limits = options.limits
  }

  to({ name, maxConnections = MAX_CONNECTIONS }: Destination): Lane {
    const known = this.#lanes.get(name)
    if (known) return known
    if (this.#lanes.size >= this.#sweepAt) this.#sweep()
    const lane = new Lane({ clock: this.#clock, limits: this.#limits, maxConnections })
    this.#lanes.set(name, lane)
    return lane
  }

  find(name: string): Lane | undefined {
    return this.#lanes.get(name)
  }

  all(): [name: string, lane: Lane][] {
    return [...this.#lanes]
  }

  #sweep() {
    const forgetBeforeMs = this.#clock.now().getTime() - REMEMBER_MS
    for (const [name, { connections, throttle }] of this.#lanes) {
      const isWorthKeeping = connections > 0 || !(throttle.isAtRest || throttle.lastComplaintMs < forgetBeforeMs)
      if (!isWorthKeeping) this.#lanes.delete(name)
    }
    this.#sweepAt = Math.max(SWEEP_FROM, this.#lanes.size * 2)
  }
}
