const [ZERO, NINE, COMMA, CLOSE] = [0x30, 0x39, 0x2c, 0x5d]
const BLOCK = 64 * 1024

/** The content of a file as some clients send it, `[104,101,…]`: read while it arrives into the bytes that it stands for. */
export class ByteList {
  readonly #full: Buffer[] = []
  #block = Buffer.alloc(0)
  #used = 0
  /** The number whose digits are being read; -1 between numbers. */
  #value = -1
  /** White space came after the number, so that no digit may. */
  #isOver = false

  get length(): number {
    return this.#full.length * BLOCK + this.#used
  }

  /** Reads on. `end`: the list is closed there. `other`: what is there belongs in no list of bytes. `more`: the chunk is read. */
  read(chunk: Buffer, start: number): { at: number; is: 'end' | 'other' | 'more' } {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (byte >= ZERO && byte <= NINE) {
        const value = this.#value < 0 ? byte - ZERO : this.#value * 10 + byte - ZERO
        if (this.#value === 0 || value > 255 || (this.#isOver && this.#value >= 0)) return { at, is: 'other' }
        this.#value = value
        this.#isOver = false
      } else if (byte === COMMA) {
        if (this.#value < 0) return { at, is: 'other' }
        this.#push()
      } else if (byte === CLOSE) {
        if (this.#value < 0) return { at, is: this.length === 0 ? 'end' : 'other' }
        this.#push()
        return { at, is: 'end' }
      } else if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
        this.#isOver = true
      } else {
        return { at, is: 'other' }
      }
    }
    return { at: chunk.length, is: 'more' }
  }

  #push() {
    if (this.#used === this.#block.length) this.#grow()
    this.#block[this.#used++] = this.#value
    this.#value = -1
    this.#isOver = false
  }

  #grow() {
    if (this.#used < BLOCK) {
      const larger = Buffer.alloc(Math.min(BLOCK, 16 * Math.max(16, this.#used)))
      this.#block.copy(larger)
      this.#block = larger
      return
    }
    this.#full.push(this.#block)
    this.#block = Buffer.alloc(BLOCK)
    this.#used = 0
  }

  get bytes(): Buffer {
    return Buffer.concat([...this.#full, this.#block.subarray(0, this.#used)])
  }

  /** What has been read, as it came: for a list that turns out to be another, and for short ones. */
  get text(): string {
    const pending = this.#value < 0 ? '' : `${this.#value}${this.#isOver ? ' ' : ''}`
    return [...this.bytes].map((byte) => `${byte},`).join('') + pending
  }

  get json(): string {
    return `[${[...this.bytes].join()}]`
  }
}
