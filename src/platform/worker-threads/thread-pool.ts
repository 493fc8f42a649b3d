import { PoolThread, type Task } from './pool-thread.ts'
import type { ThreadTask } from './work.ts'

export interface ThreadPoolOptions {
  /** The program of the threads: a file that calls `serveThread`. */
  readonly entry: () => string
  /** How many there are at most, two or more. One is for light work only: what is heavy never holds up all that is not. */
  readonly threads: number
  /** Of the heap of each thread; buffers do not count. */
  readonly heapMb: number
  /** A thread with nothing to do ends after so long, and gives its memory back. */
  readonly idleMs?: number
}

const IDLE_MS = 60_000

/**
 * Runs in threads what untrusted input can make slow, so that the event loop serves everybody else meanwhile. A thread runs one piece of
 * work at a time. One that waits for an answer steps aside for others, and does not use up its time. One that takes too long, or too
 * much memory, ends with its thread, and those that stood aside there begin anew in another.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions
  readonly #threads: PoolThread[] = []
  #queue: Task[] = []

  constructor(options: ThreadPoolOptions) {
    this.#options = options
  }

  /** What the work came to. Rejects with `ThreadLimitReached` when it took too long or too much memory. */
  run<Result>(work: ThreadTask): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (result: unknown) => void, reject, usedMs: 0, begun: 0 })
      this.#dispatch()
    })
  }

  #dispatch() {
    for (const thread of [...this.#threads]) this.#feed(thread)
    for (let wanted = this.#threadWanted(); wanted; wanted = this.#threadWanted())
      this.#feed(this.#start(wanted.isForLight))
  }

  /** The thread that would begin something of what waits, if there may be another. */
  #threadWanted(): { isForLight: boolean } | null {
    const light = this.#threads.filter(({ isForLight }) => isForLight).length
    if (light === 0 && this.#queue.some(({ work }) => work.isLight)) return { isForLight: true }
    const isBelowLimit = this.#threads.length - light < this.#options.threads - 1
    return isBelowLimit && this.#queue.length > 0 ? { isForLight: false } : null
  }

  #start(isForLight: boolean): PoolThread {
    const { entry, heapMb, idleMs = IDLE_MS } = this.#options
    const thread: PoolThread = new PoolThread({
      entry: entry(),
      heapMb,
      idleMs,
      isForLight,
      onFree: () => this.#feed(thread),
      onEnd: (unfinished) => {
        this.#threads.splice(this.#threads.indexOf(thread), 1)
        this.#queue = [...unfinished, ...this.#queue]
        this.#dispatch()
      },
    })
    this.#threads.push(thread)
    return thread
  }

  #feed(thread: PoolThread) {
    while (thread.canTake) {
      const next = this.#queue.findIndex(({ work }) => work.isLight || !thread.isForLight)
      if (next < 0) return
      thread.begin(this.#queue.splice(next, 1)[0]!)
    }
  }
}
