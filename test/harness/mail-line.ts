import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** The incoming half of a connection, as lines and messages. */
export class Line {
  readonly socket: Socket
  #received = Buffer.alloc(0)
  #isOver = false
  #wake = () => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', this.#take).on('close', this.#end).on('end', this.#end)
  }

  /** Another reader takes over the socket. */
  stop() {
    this.socket.off('data', this.#take).off('close', this.#end).off('end', this.#end)
  }

  get hasMore(): boolean {
    return this.#received.length > 0
  }

  /** Null when the other side has gone. */
  async read(): Promise<string | null> {
    return (await this.#readTo('\r\n'))?.toString() ?? null
  }

  async readMessage(): Promise<Buffer | null> {
    // An empty message is a dot alone, so the line end before the dot may be the one after DATA.
    this.#received = Buffer.concat([Buffer.from('\r\n'), this.#received])
    const bytes = await this.#readTo('\r\n.\r\n')
    return bytes && Buffer.from(`${bytes.toString('latin1')}\r\n`.slice(2).replace(/^\.\./gm, '.'), 'latin1')
  }

  async writeSlowly(byte: number, byteMs: number) {
    if (this.socket.writable) this.socket.write(Buffer.from([byte]))
    await wait(byteMs)
  }

  async #readTo(end: string): Promise<Buffer | null> {
    for (let searched = 0; ; ) {
      const index = this.#received.indexOf(end, searched, 'latin1')
      if (index >= 0) {
        const found = this.#received.subarray(0, index)
        this.#received = this.#received.subarray(index + end.length)
        return found
      }
      if (this.#isOver) return null
      searched = Math.max(0, this.#received.length - end.length)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  readonly #take = (chunk: Buffer) => {
    this.#received = Buffer.concat([this.#received, chunk])
    this.#wake()
  }

  readonly #end = () => {
    this.#isOver = true
    this.#wake()
  }
}
