import type { Limits } from './limits.ts'

const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const TAB = 0x09

/** Measures the header of a message that comes in pieces, lines ended by CR LF. What is behind the header costs nothing. */
export class HeaderMeter {
  readonly #limits: Pick<Limits, 'headerBytes' | 'headerFields'>
  #isInside = true
  #isLineStart = true
  #bytes = 0
  #fields = 0

  constructor(limits: Pick<Limits, 'headerBytes' | 'headerFields'>) {
    this.#limits = limits
  }

  /** Whether it is still within its limits. */
  add(piece: Buffer): boolean {
    let at = 0
    while (this.#isInside && at < piece.length) {
      if (this.#isLineStart) this.#beginLine(piece[at]!)
      const end = piece.indexOf(LF, at)
      this.#isLineStart = end >= 0
      const next = end < 0 ? piece.length : end + 1
      this.#bytes += next - at
      at = next
      if (this.#bytes > this.#limits.headerBytes || this.#fields > this.#limits.headerFields) return false
    }
    return true
  }

  #beginLine(first: number) {
    if (first === CR) this.#isInside = false
    else if (first !== SPACE && first !== TAB) this.#fields++
  }
}
