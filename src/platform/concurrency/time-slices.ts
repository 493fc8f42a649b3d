import { setImmediate as nextTurn } from 'node:timers/promises'

/** What else arrives waits for this long, and for one piece of work. Shorter slices cost more: what is done in turns is done with cold caches. */
const MAX_SLICE_MS = 4
/** While somebody waits who needs a dozen turns. */
const MAX_SHORT_SLICE_MS = 0.5
const SHORT_FOR_MS = 100

/**
 * A cooperative scheduler for work of low priority that comes in hundreds of short pieces. Each piece waits here before it begins; they begin
 * one after the other, in their order, in slices of the event loop's time, and between two slices everything else has its turn. Without it, pieces that
 * await nothing but promises that are resolved would all be done before the next turn: a microtask is never interrupted.
 */
export class TimeSlices {
  readonly #waiting: (() => void)[] = []
  #isRunning = false
  #shortUntilMs = Number.NEGATIVE_INFINITY

  /** Resolves when a piece may begin. What it does until it awaits something of the outside world is part of the slice. */
  enter(): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(begin)
      if (!this.#isRunning) void this.#run()
    })
  }

  /** Somebody waits for something else that this process does: slices are short for a while, and never left out. */
  giveWay() {
    this.#shortUntilMs = performance.now() + SHORT_FOR_MS
  }

  async #run() {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await nextTurn()
      const begin = performance.now()
      const end = begin + (begin < this.#shortUntilMs ? MAX_SHORT_SLICE_MS : MAX_SLICE_MS)
      do {
        this.#waiting.shift()!()
        await afterMicrotasks()
      } while (this.#waiting.length > 0 && performance.now() < end)
    }
    this.#isRunning = false
  }
}

/** Called in a microtask: Node runs all of them, also those that they add, before the next tick. */
const afterMicrotasks = () => new Promise<void>((resolve) => process.nextTick(resolve))
