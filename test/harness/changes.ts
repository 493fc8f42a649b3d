import { setTimeout as delay } from 'node:timers/promises'

/** Like everything that waits for wake-ups, it also looks by itself now and then: not all that a test may ask for is announced. */
const LOOK_EVERY_MS = 1_000

/** However often something changes: a look may be a request. */
const REST_MS = 2

/** Patient, since a machine may be busy; what a test proves does not depend on it. */
const DEADLINE_MS = 45_000

/** False, or an assertion that fails: not yet. */
export type Condition = () => unknown

/** What tests wait for instead of asking again and again: whoever changes something says so, and conditions are looked at then. */
export class Changes {
  readonly #listeners = new Set<() => void>()

  /** Something has changed. */
  readonly notify = () => {
    for (const listener of [...this.#listeners]) listener()
  }

  /** Resolves as soon as the condition holds. At the deadline it rejects with what the condition has said last. */
  async until(condition: Condition, withinMs = DEADLINE_MS): Promise<void> {
    const deadline = Date.now() + withinMs
    let wake = () => {}
    let hasChanged = false
    const listener = () => {
      hasChanged = true
      wake()
    }
    this.#listeners.add(listener)
    try {
      for (;;) {
        hasChanged = false
        const isLast = Date.now() > deadline
        const complaint = await complaintOf(condition)
        if (complaint === null) return
        if (isLast) throw new Error(`Not within ${withinMs} ms: ${condition}`, { cause: complaint })
        if (!hasChanged) await pause(Math.min(LOOK_EVERY_MS, withinMs), (end) => (wake = end))
        await delay(REST_MS)
      }
    } finally {
      this.#listeners.delete(listener)
    }
  }
}

/** A list that tests wait for: `await seen.until(() => seen.length === 3)`. */
export class ObservedList<Item> extends Array<Item> {
  readonly #changes = new Changes()

  /** What is made from it is a list like any other. */
  static override get [Symbol.species]() {
    return Array
  }

  override push(...items: Item[]): number {
    const length = super.push(...items)
    this.#changes.notify()
    return length
  }

  until(condition: Condition, withinMs?: number): Promise<void> {
    return this.#changes.until(condition, withinMs)
  }

  /** Resolves once it has so many items. */
  reached(count: number, withinMs?: number): Promise<void> {
    return this.until(() => this.length >= count, withinMs)
  }
}

async function complaintOf(condition: Condition): Promise<unknown> {
  try {
    return (await condition()) === false ? 'false' : null
  } catch (error) {
    return error
  }
}

function pause(milliseconds: number, onWake: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    onWake(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
