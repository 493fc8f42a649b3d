interface Event {
  readonly atMs: number
  readonly order: number
  run(): void
}

/** What is to happen, by time; what is to happen at the same time, in the order in which it was asked for. */
export class EventQueue {
  readonly #heap: Event[] = []
  #order = 0
  #nowMs: number

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  add(atMs: number, run: () => void) {
    const heap = this.#heap
    const event = { atMs: Math.max(atMs, this.#nowMs), order: this.#order++, run }
    let index = heap.length
    heap.push(event)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (isBefore(heap[parent]!, event)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = event
  }

  /** Lets time pass up to a moment. */
  advance(untilMs: number) {
    while (this.#heap.length > 0 && this.#heap[0]!.atMs <= untilMs) {
      const event = this.#takeFirst()
      this.#nowMs = event.atMs
      event.run()
    }
    this.#nowMs = untilMs
  }

  #takeFirst(): Event {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (isBefore(last, heap[child]!)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
    return first
  }
}

const isBefore = (one: Event, other: Event) =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
