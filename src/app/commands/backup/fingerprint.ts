const LINE_FEED = 0x0a
/** Where the hashes of a line begin. */
const FIRST = 0x811c9dc5
const SECOND = 0x9e3779b9

/**
 * Of the lines of a text, in whatever order: PostgreSQL gives rows back in another one than it was given them. Two hashes of each line
 * (FNV-1a and one with another factor, mixed at the end), added up. It finds what went wrong on the way; who wants to deceive does not get past the seals.
 */
export class Fingerprint {
  #first = FIRST
  #second = SECOND
  #sums: [number, number, number, number] = [0, 0, 0, 0]
  #lines = 0

  get lines(): number {
    return this.#lines
  }

  add(bytes: Uint8Array) {
    let [first, second] = [this.#first, this.#second]
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index]!
      if (byte === LINE_FEED) {
        this.#endLine(first, second)
        first = FIRST
        second = SECOND
        continue
      }
      first = Math.imul(first ^ byte, 0x01000193)
      second = Math.imul(second + byte, 0x85ebca6b) ^ (second >>> 15)
    }
    this.#first = first
    this.#second = second
  }

  /** Of all lines that have ended. */
  digest(): string {
    return this.#sums.map((sum) => (sum >>> 0).toString(16).padStart(8, '0')).join('')
  }

  #endLine(first: number, second: number) {
    this.#lines++
    const sums = this.#sums
    sums[0] = (sums[0] + mix(first)) | 0
    sums[1] = (sums[1] + mix(second)) | 0
    sums[2] = (sums[2] + mix(first ^ 0x5bd1e995 ^ (second << 7))) | 0
    sums[3] = (sums[3] + mix(second ^ (first >>> 3))) | 0
  }
}

/** The last step of MurmurHash3: without it sums of similar lines would be similar. */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
