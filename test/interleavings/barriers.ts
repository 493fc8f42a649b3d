import type { Scheduler } from 'fast-check'
import type { Sessions } from './sessions.ts'

/** Where all that nodes do stops until the scheduler says who goes on, one at a time. */
export class Barriers {
  readonly #scheduler: Scheduler
  readonly #sessions: Sessions

  constructor(scheduler: Scheduler, sessions: Sessions) {
    this.#scheduler = scheduler
    this.#sessions = sessions
  }

  async pass(label: string) {
    this.#sessions.noteMove()
    await this.#scheduler.schedule(Promise.resolve(), label)
    this.#sessions.noteMove()
  }

  get areEmpty(): boolean {
    return this.#scheduler.count() === 0
  }

  /** Lets one go on, as far as it gets. */
  async next() {
    await this.#scheduler.waitNext(1)
    await this.#sessions.quiet()
  }
}
