/** What all calls that are not mirrored yet may hold in memory together. */
export class MemoryBudget {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  giveBack(bytes: number) {
    this.#left += bytes
  }
}

/** A copy of a body that passes by, as long as it is small enough. */
export class Capture {
  readonly #budget: MemoryBudget
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #bytes = 0
  #overflow: 'too_large' | 'behind' | null = null

  constructor(budget: MemoryBudget, maxBytes: number) {
    this.#budget = budget
    this.#maxBytes = maxBytes
  }

  add(chunk: Buffer) {
    if (this.#overflow) return
    const isTooLarge = this.#bytes + chunk.length > this.#maxBytes
    if (isTooLarge || !this.#budget.take(chunk.length)) {
      this.drop()
      this.#overflow = isTooLarge ? 'too_large' : 'behind'
      return
    }
    this.#bytes += chunk.length
    this.#chunks.push(chunk)
  }

  /** Why there is no copy; null: there is one. */
  get overflow() {
    return this.#overflow
  }

  get chunks(): readonly Buffer[] {
    return this.#chunks
  }

  get body(): Buffer {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
  }

  get bytes() {
    return this.#bytes
  }

  /** Gives its memory back. */
  drop() {
    this.#budget.giveBack(this.#bytes)
    this.#bytes = 0
    this.#chunks = []
  }
}
