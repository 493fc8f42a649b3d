import { Problem } from '../http/problem.ts'

/** Until the last statement of a part of a search begins. */
const MAX_SEARCH_MS = 8_000

/** A search that takes too long is stopped. What it has written into the index stays. */
export class SearchDeadline {
  readonly #begin = performance.now()
  readonly #message: string

  constructor(message: string) {
    this.#message = message
  }

  check() {
    if (performance.now() - this.#begin > MAX_SEARCH_MS)
      throw new Problem('service_unavailable', this.#message, { 'retry-after': 10 })
  }
}
