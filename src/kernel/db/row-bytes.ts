import { EventEmitter } from 'node:events'
import type pg from 'pg'
import type { JsonRows } from './json-rows.ts'

const DATA_ROW = 0x44
const READY_FOR_QUERY = 0x5a
/** Of a message: what it is, and its length without that. */
const HEADER_BYTES = 5

/** How the driver reads what comes on a socket. */
interface Listening {
  attachListeners(stream: EventEmitter): void
}

/**
 * Stands between the socket of a connection and the driver, which makes a text of each value and an object of each row: a statement whose rows
 * are wanted as bytes gets them here, and all other messages are the driver's.
 */
export class RowBytes {
  readonly #driver = new EventEmitter()
  /** Statements in flight whose rows are wanted as bytes. */
  #expected = 0
  #reader: JsonRows | null = null
  /** The rows of the answer that comes are the driver's. */
  #isDrivers = false
  /** Of a message that the driver has the beginning of: how much is still to come. */
  #unreadBytes = 0
  /** The beginning of a message that has not come in whole, or of its header. */
  #parts: Buffer[] = []
  #partBytes = 0
  #wantedBytes = 0

  /** Before it connects. With TLS the driver listens to another stream. */
  static of(connection: pg.Connection): RowBytes {
    const rows = new RowBytes()
    const listening = connection as unknown as Listening
    const attach = listening.attachListeners
    listening.attachListeners = (stream) => {
      attach.call(connection, rows.#driver)
      stream.on('data', (chunk: Buffer) => rows.#take(chunk))
      stream.on('end', () => rows.#driver.emit('end'))
    }
    return rows
  }

  /** Before a statement is sent whose rows are wanted as bytes. */
  expect() {
    this.#expected++
  }

  /** From when the driver knows the columns of such a statement. */
  begin(reader: JsonRows) {
    this.#reader = reader
  }

  /** When the driver knows that it has ended, or has failed. */
  end() {
    this.#expected--
    this.#reader = null
  }

  #take(chunk: Buffer) {
    if (this.#partBytes === 0) return this.#split(chunk)
    this.#parts.push(chunk)
    this.#partBytes += chunk.length
    if (this.#partBytes < this.#wantedBytes) return
    const whole = Buffer.concat(this.#parts, this.#partBytes)
    this.#parts = []
    this.#partBytes = 0
    this.#split(whole)
  }

  #split(chunk: Buffer) {
    /** What is before this was taken. */
    let from = 0
    let at = this.#unreadBytes
    while (at + HEADER_BYTES <= chunk.length) {
      const end = at + 1 + chunk.readUInt32BE(at + 1)
      const kind = chunk[at]
      if (kind === READY_FOR_QUERY) this.#isDrivers = false
      else if (kind === DATA_ROW && this.#expected > 0 && !this.#isDrivers) {
        // Whose rows they are is known when the driver has read all that came before them.
        from = this.#handOn(chunk, from, at)
        if (this.#reader === null) this.#isDrivers = true
        else {
          if (end > chunk.length) return this.#keep(chunk, at, end - at)
          this.#reader.add(chunk, at + HEADER_BYTES, end)
          from = end
        }
      }
      at = end
    }
    this.#unreadBytes = Math.max(0, at - chunk.length)
    if (at >= chunk.length) return void this.#handOn(chunk, from, chunk.length)
    this.#handOn(chunk, from, at)
    this.#keep(chunk, at, HEADER_BYTES)
  }

  #handOn(chunk: Buffer, from: number, to: number): number {
    if (from < to) this.#driver.emit('data', to - from === chunk.length ? chunk : chunk.subarray(from, to))
    return to
  }

  /** The rest of the chunk, until there are so many bytes. */
  #keep(chunk: Buffer, from: number, wantedBytes: number) {
    this.#unreadBytes = 0
    this.#parts = [chunk.subarray(from)]
    this.#partBytes = chunk.length - from
    this.#wantedBytes = wantedBytes
  }
}
