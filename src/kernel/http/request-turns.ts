/** So many requests of a team are begun in one turn of the event loop: some 3 ms of work. */
const MAX_A_TURN = 10

/**
 * Lets teams take turns at the processor. What arrives in one turn of the event loop is dealt with in the order of its connections, and
 * a team with hundreds of them would keep everybody else waiting for all of its requests, in each turn that a request takes. So a team
 * begins a few in a turn, and the rest in the next ones, in their order.
 */
export class RequestTurns {
  readonly #begun = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  #isScheduled = false

  /** Null: it may begin at once. */
  take(team: string): Promise<void> | null {
    this.#schedule()
    const begun = this.#begun.get(team) ?? 0
    if (begun < MAX_A_TURN && !this.#waiting.has(team)) {
      this.#begun.set(team, begun + 1)
      return null
    }
    return new Promise((resolve) => {
      const line = this.#waiting.get(team)
      if (line) line.push(resolve)
      else this.#waiting.set(team, [resolve])
    })
  }

  #schedule() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#next())
  }

  #next() {
    this.#isScheduled = false
    this.#begun.clear()
    for (const [team, line] of this.#waiting) {
      const next = line.splice(0, MAX_A_TURN)
      if (line.length === 0) this.#waiting.delete(team)
      this.#begun.set(team, next.length)
      for (const begin of next) begin()
    }
    if (this.#waiting.size > 0) this.#schedule()
  }
}
