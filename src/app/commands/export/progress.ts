/** What a long command has done so far, on a line of the terminal that is written over. Quiet where nobody looks. */
export class Progress {
  readonly #stream: NodeJS.WriteStream
  #shownAt = Number.NEGATIVE_INFINITY
  #isShown = false

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream
  }

  show(what: string, rows: number, of?: number) {
    const now = performance.now()
    if (!this.#stream.isTTY || now - this.#shownAt < EVERY_MS) return
    this.#shownAt = now
    this.#isShown = true
    this.#stream.write(`\r\x1b[K${what}: ${numberOf(rows)}${of === undefined ? '' : ` of ${numberOf(of)}`}`)
  }

  end() {
    if (this.#isShown) this.#stream.write('\r\x1b[K')
  }
}

const EVERY_MS = 100

export const numberOf = (count: number) => count.toLocaleString('en-US')
