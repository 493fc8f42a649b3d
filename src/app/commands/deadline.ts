import { setTimeout as wait } from 'node:timers/promises'

/** One end for several waits: what takes long leaves less to what comes after it, and all of it ends then. */
export class Deadline {
  readonly #end: number

  constructor(milliseconds: number) {
    this.#end = performance.now() + milliseconds
  }

  get leftMs(): number {
    return Math.max(0, this.#end - performance.now())
  }

  /** Resolves when the work has ended, or the time has. The work goes on by itself then. */
  async wait(work: Promise<unknown>): Promise<void> {
    const timeout = new AbortController()
    work.catch(() => {})
    await Promise.race([work, wait(this.leftMs, undefined, { signal: timeout.signal }).catch(() => {})])
    timeout.abort()
  }
}
