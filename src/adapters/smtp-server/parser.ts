import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A message, or a chunk of one, while it comes in. */
export interface Body {
  readonly reader: {
    /** Where in the chunk the body has ended, or -1 while there is more to come. */
    read(chunk: Buffer): number
  }
  /** After each piece that came. */
  moved(): void
  /** What was sent behind it waits until this is done. */
  end(): Promise<void> | void
}

export interface ParserEvents {
  /** Without its end. The next one waits until this is done. */
  line(line: Buffer): Promise<void> | void
  lineTooLong(): void
  /** All that came has been read. */
  idle(): Promise<void> | void
}

const CR = 0x0d
const LF = 0x0a

/** A token of OAuth has some kilobytes; nothing else is longer than a command may be. */
const LONGEST_LINE = 16 * 1024
/** 64 kB of short lines take 4 ms, and a socket that has more hands over 2 MB before anybody else has a turn. */
const TURN_MS = 10

/** Cuts what a client sends into lines and bodies, in the order in which they came and one at a time. */
export class Parser extends Writable {
  readonly #events: ParserEvents
  #body: Body | null = null
  #partialLine: Buffer | null = null
  #isShut = false
  /** How long it has read since it last let others go first. */
  #busyMs = 0

  constructor(events: ParserEvents) {
    super()
    this.#events = events
  }

  /** What comes from here on is a body. */
  readBody(body: Body) {
    this.#body = body
  }

  /** What it still holds, and all that comes, is thrown away. */
  shut() {
    this.#isShut = true
    this.#partialLine = null
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.#readAll(chunk).then(() => done(), done)
  }

  async #readAll(chunk: Buffer) {
    let rest = chunk
    while (rest.length > 0 && !this.#isShut) {
      const begin = performance.now()
      const { used, work } = this.#body ? this.#feed(this.#body, rest) : this.#readLine(rest)
      rest = rest.subarray(used)
      this.#busyMs += performance.now() - begin
      if (work) await work
      if (this.#busyMs >= TURN_MS) await this.#letOthersGo()
    }
    if (!this.#isShut) await this.#events.idle()
  }

  #feed(body: Body, bytes: Buffer): { used: number; work?: Promise<void> | void } {
    const end = body.reader.read(bytes)
    body.moved()
    if (end < 0) return { used: bytes.length }
    this.#body = null
    return { used: end, work: body.end() }
  }

  #readLine(bytes: Buffer): { used: number; work?: Promise<void> | void } {
    const end = bytes.indexOf(LF)
    const part = end < 0 ? bytes : bytes.subarray(0, end)
    const line = this.#partialLine ? Buffer.concat([this.#partialLine, part]) : part
    this.#partialLine = null
    const length = line.at(-1) === CR ? line.length - 1 : line.length
    if (length > LONGEST_LINE) return { used: bytes.length, work: this.#events.lineTooLong() }
    if (end >= 0) return { used: end + 1, work: this.#events.line(line.subarray(0, length)) }
    // Not a part of the chunk, which would keep all of it in memory.
    this.#partialLine = Buffer.from(line)
    return { used: bytes.length }
  }

  async #letOthersGo() {
    this.#busyMs = 0
    await nextTurn()
  }
}
