interface Read<Value> {
  readonly current: Promise<Value>
  /** Until the turn of the event loop ends: statements of one turn leave together, so it has not begun yet. */
  isJoinable: boolean
  next: Promise<Value> | null
}

/**
 * Reads of the same key that many ask for at the same time, done once for all of them. Whoever asks while one is under way gets the
 * next one, so an answer is never older than its question: nothing is cached.
 */
export class SharedReads<Value> {
  readonly #reads = new Map<string, Read<Value>>()

  read(key: string, find: () => Promise<Value>): Promise<Value> {
    const read = this.#reads.get(key)
    if (!read) return this.#start(key, find)
    if (read.isJoinable) return read.current
    const again = () => this.#start(key, find)
    read.next ??= read.current.then(again, again)
    return read.next
  }

  /** Keys that are being read. */
  get size(): number {
    return this.#reads.size
  }

  #start(key: string, find: () => Promise<Value>): Promise<Value> {
    const read: Read<Value> = { current: find(), isJoinable: true, next: null }
    this.#reads.set(key, read)
    setImmediate(() => {
      read.isJoinable = false
    })
    const end = () => {
      if (!read.next) this.#reads.delete(key)
    }
    read.current.then(end, end)
    return read.current
  }
}
