/** How far a long command is, on one line of a terminal that is written over. Elsewhere nothing is written. */
export class Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #isShown: boolean
  #shownAt = Number.NEGATIVE_INFINITY
  #title = ''
  #total = 0
  #done = 0

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream
    this.#isShown = stream.isTTY === true
  }

  /** `total` is an estimate; 0: nobody knows. */
  begin(title: string, total: number) {
    this.#title = title
    this.#total = total
    this.#done = 0
    this.#show(true)
  }

  add(amount: number) {
    this.#done += amount
    this.#show(false)
  }

  /** Counted by the caller; without `of`, nobody knows how many there are. */
  show(what: string, done: number, of?: number) {
    const all = of === undefined ? '' : ` of ${numberOf(of)}`
    this.#write(() => `${what}: ${numberOf(done)}${all}`, false)
  }

  /** A line that stays. */
  say(line: string) {
    if (this.#isShown) this.#stream.write(`\r\x1b[K${line}\n`)
  }

  /** Leaves the line to whoever writes next. */
  end() {
    if (this.#isShown) this.#stream.write('\r\x1b[K')
  }

  #show(isNow: boolean) {
    this.#write(() => lineOf(this.#title, this.#done, this.#total), isNow)
  }

  #write(line: () => string, isNow: boolean) {
    if (!this.#isShown || (!isNow && performance.now() - this.#shownAt < REFRESH_MS)) return
    this.#shownAt = performance.now()
    this.#stream.write(`\r\x1b[K${line()}`)
  }
}

const REFRESH_MS = 100
const BAR_CELLS = 24

/** An estimate that turned out too low stops at 99 %: 100 % is when it is done. */
export function lineOf(title: string, done: number, total: number): string {
  if (total <= 0) return `${title}  ${done}`
  const share = Math.min(done / total, 0.99)
  const filled = Math.round(share * BAR_CELLS)
  return `${title}  ${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}  ${Math.floor(share * 100)} %`
}

export const numberOf = (count: number) => count.toLocaleString('en-US')

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

export function sizeOf(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)))
  return `${(bytes / 1_000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`
}
