import { MAX_NAMES, tooManyNames } from './json-limits.ts'

/**
 * Counts the different names of fields while a JSON body is read. The first 5,000 names are not looked at, whether they differ or not:
 * most bodies end before, and there can be no more than twice as many different ones.
 */
export class NameCount {
  /** For each level whether it is an object; a list otherwise. */
  readonly #isObject: boolean[] = []
  #all = 0
  #different: Set<string> | null = null
  /** What is known of a name that lies across chunks. */
  #begun = ''
  /** Whether the next text is a name. */
  isNext = false

  open(depth: number, isObject: boolean) {
    this.#isObject[depth] = isObject
    this.isNext = isObject
  }

  /** A comma: the next field or the next item. */
  separate(depth: number) {
    this.isNext = this.#isObject[depth] === true
  }

  /** A name, or a piece of it. */
  read(chunk: Buffer, start: number, end: number, isWhole: boolean) {
    if (isWhole) this.isNext = false
    if (this.#all < MAX_NAMES) {
      if (isWhole) this.#all++
      return
    }
    this.#begun += chunk.toString('latin1', start, end)
    if (!isWhole) return
    this.#different ??= new Set()
    this.#different.add(this.#begun)
    this.#begun = ''
    if (this.#different.size > MAX_NAMES) throw tooManyNames()
  }
}
