/** A bounded amount of something (cores, bytes) that tasks share. Whoever waits longest is next; low priority comes after everything else. */
export class Semaphore {
  readonly #capacity: number
  readonly #waiting: { weight: number; isLowPriority: boolean; start(): void }[] = []
  #used = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /**
   * Runs the task when there is room for its weight. One that is larger than all there is gets all there is. A task whose weight
   * turns out to be another says so with `resize`, and never waits for it.
   */
  async run<Result>(
    weight: number,
    task: (resize: (weight: number) => void) => Promise<Result>,
    { isLowPriority = false } = {},
  ): Promise<Result> {
    let share = Math.min(weight, this.#capacity)
    const resize = (to: number) => {
      const next = Math.min(to, this.#capacity)
      const tooMuch = share - next
      share = next
      this.release(tooMuch)
    }
    if (!this.tryTake(share)) await this.#acquire(share, isLowPriority)
    try {
      return await task(resize)
    } finally {
      this.release(share)
    }
  }

  get used(): number {
    return this.#used
  }

  /** How many stand in line. */
  get waiting(): number {
    return this.#waiting.length
  }

  get free(): number {
    return this.#capacity - this.#used
  }

  /** Takes the weight now or not at all, for those who would rather hear no than wait. `release` returns it. */
  tryTake(weight: number): boolean {
    if (this.#waiting.length > 0 || weight > this.free) return false
    this.#used += weight
    return true
  }

  release(weight: number) {
    this.#used -= weight
    this.#admit()
  }

  #acquire(weight: number, isLowPriority: boolean): Promise<void> {
    return new Promise((start) => {
      const firstLow = isLowPriority ? -1 : this.#waiting.findIndex((other) => other.isLowPriority)
      this.#waiting.splice(firstLow < 0 ? this.#waiting.length : firstLow, 0, { weight, isLowPriority, start })
      this.#admit()
    })
  }

  #admit() {
    while (this.#waiting.length > 0 && this.#used + this.#waiting[0]!.weight <= this.#capacity) {
      const { weight, start } = this.#waiting.shift()!
      this.#used += weight
      start()
    }
  }
}
