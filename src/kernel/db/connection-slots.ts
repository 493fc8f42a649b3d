import { DatabaseAway } from '../../platform/database-errors.ts'

/**
 * How many connections there are at once, counted from before one is opened until the other side has closed it. The parts of a process (pipelines,
 * pool, heartbeat, probe) together want no more than there are; but what takes the place of an old one waits until that has ended.
 */
export class ConnectionSlots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(max: number) {
    this.#free = max
  }

  /** Resolves with what gives the slot back; the second call does nothing. */
  async take(withinMs: number): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await this.#wait(withinMs)
    let isTaken = true
    return () => {
      if (isTaken) this.#release()
      isTaken = false
    }
  }

  #wait(withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(next), 1)
        reject(new DatabaseAway(`connections that were given up have not ended within ${withinMs / 1_000} s`))
      }, withinMs)
      this.#waiting.push(next)
    })
  }

  #release() {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
