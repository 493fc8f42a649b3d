import type { Exchange, Judged } from './exchange.ts'

interface Waiting {
  readonly exchange: Exchange
  /** Called when nothing needs its memory any more. */
  release(): void
}

export interface MirrorQueueParts {
  /** Rejects when our side is away. */
  judge(exchange: Exchange): Promise<Judged>
  onJudged(exchange: Exchange, judged: Judged): void
  onLost(exchange: Exchange): void
}

/** Calls that wait for our side. What is beyond it is lost, and counted. */
const MAX_WAITING_CALLS = 2_000
/** From here on each takes less time. */
const MAX_UNHURRIED_CALLS = 100

/** Calls of one key go to our side one after the other, in the order in which the upstream has answered them. */
export class MirrorQueue {
  readonly #parts: MirrorQueueParts
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0
  #onIdle: (() => void)[] = []

  constructor(parts: MirrorQueueParts) {
    this.#parts = parts
  }

  get size() {
    return this.#count
  }

  get isFull() {
    return this.#count >= MAX_WAITING_CALLS
  }

  add(exchange: Exchange, release: () => void) {
    this.#count++
    const waiting = this.#waiting.get(exchange.key)
    if (waiting) return void waiting.push({ exchange, release })
    const own = [{ exchange, release }]
    this.#waiting.set(exchange.key, own)
    void this.#work(exchange.key, own)
  }

  /** Resolves when nothing waits. */
  whenIdle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve))
  }

  async #work(key: string, waiting: Waiting[]) {
    while (waiting.length > 0) {
      const { exchange, release } = waiting[0]!
      const isHurried = this.#count > MAX_UNHURRIED_CALLS
      const judged = await this.#parts.judge({ ...exchange, isHurried }).catch(() => null)
      release()
      waiting.shift()
      this.#count--
      if (judged) this.#parts.onJudged(exchange, judged)
      else this.#parts.onLost(exchange)
    }
    this.#waiting.delete(key)
    if (this.#count === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }
}
