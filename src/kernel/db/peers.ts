import type { Database } from './database.ts'
import type { Node } from './nodes.ts'

/**
 * How many processes do the same work as this one, itself included: each takes its share of what is limited for all of them together.
 * Known from the heartbeats of the nodes, so asking costs nothing; one that comes or goes is noticed within seconds.
 */
export class Peers {
  readonly #db: Database
  readonly #work: string
  #others: readonly Node[] = []
  #count = 1

  constructor(db: Database, work: string) {
    this.#db = db
    this.#work = work
  }

  /** This process does the work from now on, as the others will see. */
  join(): () => void {
    return this.#db.signals.work(this.#work, () => {})
  }

  get count(): number {
    const { others } = this.#db.presence
    // Another list with every heartbeat, and the same one until then.
    if (others !== this.#others) {
      this.#others = others
      this.#count = 1 + others.filter(({ works }) => works.includes(this.#work)).length
    }
    return this.#count
  }
}
