/** A bounded amount of something (cores, bytes) that tasks share. Whoever waits longest is next; who is patient comes after all who are not. */
export class Semaphore {
  readonly #capacity: number
  readonly #waiting: { weight: number; isPatient: boolean; start(): void }[] = []
  #used = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Runs the task when there is room for its weight. One that is larger than all there is gets all there is. */
  async run<Result>(weight: number, task: () => Promise<Result>, { isPatient = false } = {}): Promise<Result> {
    const share = Math.min(weight, this.#capacity)
    await this.#acquire(share, isPatient)
    try {
      return await task()
    } finally {
      this.giveBack(share)
    }
  }

  get used(): number {
    return this.#used
  }

  get free(): number {
    return this.#capacity - this.#used
  }

  /** Takes the weight now or not at all, for those who would rather hear no than wait. `giveBack` returns it. */
  tryTake(weight: number): boolean {
    if (this.#waiting.length > 0 || weight > this.free) return false
    this.#used += weight
    return true
  }

  giveBack(weight: number) {
    this.#used -= weight
    this.#admit()
  }

  #acquire(weight: number, isPatient: boolean): Promise<void> {
    return new Promise((start) => {
      const firstPatient = isPatient ? -1 : this.#waiting.findIndex((other) => other.isPatient)
      this.#waiting.splice(firstPatient < 0 ? this.#waiting.length : firstPatient, 0, { weight, isPatient, start })
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
