import { once } from 'node:events'
import type { Socket } from 'node:net'
import type pg from 'pg'

// COPY by the driver's own means: it knows the messages, and hands them to whatever query is active.

interface CopyConnection {
  readonly stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** More is not handed to the socket at once: each piece is copied into its message. */
const SEND_BYTES = 256 * 1024

/** A statement that ends once, with the number of its rows or with an error. */
abstract class Copy {
  readonly rows: Promise<number>
  readonly #text: string
  #resolve!: (rows: number) => void
  #reject!: (error: unknown) => void
  #count = 0
  protected isOver = false

  constructor(text: string) {
    this.#text = text
    this.rows = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: CopyConnection) {
    connection.query(this.#text)
  }

  handleCommandComplete({ text }: { text: string }) {
    this.#count = Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0)
  }

  handleError(error: unknown) {
    this.isOver = true
    this.#reject(error)
  }

  handleReadyForQuery() {
    this.isOver = true
    this.#resolve(this.#count)
  }
}

/** What takes the bytes of a table. They are the driver's, and good for the time of the call; a promise holds back those behind. */
export type CopySink = (bytes: Buffer) => Promise<void> | undefined

class CopyOut extends Copy {
  readonly #sink: CopySink
  #failure: unknown

  constructor(text: string, sink: CopySink) {
    super(text)
    this.#sink = sink
  }

  handleCopyData({ chunk }: { chunk: Buffer }, { stream }: CopyConnection) {
    if (this.isOver || this.#failure) return
    try {
      const full = this.#sink(chunk)
      if (!full) return
      stream.pause()
      full.then(
        () => stream.resume(),
        (error) => this.#stop(error, stream),
      )
    } catch (error) {
      this.#stop(error, stream)
    }
  }

  /** The rest of the table is of no use to anybody, and may be a terabyte. */
  #stop(error: unknown, stream: Socket) {
    this.#failure = error
    this.handleError(error)
    stream.destroy()
  }
}

class CopyIn extends Copy {
  readonly #source: AsyncIterable<Buffer>
  #failure: unknown

  constructor(text: string, source: AsyncIterable<Buffer>) {
    super(text)
    this.#source = source
  }

  handleCopyInResponse(connection: CopyConnection) {
    void this.#send(connection).catch((error) => {
      this.#failure = error
      connection.sendCopyFail('the source of the rows failed')
    })
  }

  override handleError(error: unknown) {
    super.handleError(this.#failure ?? error)
  }

  async #send(connection: CopyConnection) {
    const { stream } = connection
    for await (const bytes of this.#source)
      for (let at = 0; at < bytes.length; at += SEND_BYTES) {
        if (this.isOver) return
        connection.sendCopyFromChunk(bytes.subarray(at, at + SEND_BYTES))
        if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), this.rows])
      }
    if (!this.isOver) connection.endCopyFrom()
  }
}

/** `copy … to stdout`: resolves with the number of rows when all has been taken. A sink that fails ends the connection. */
export function copyOut(client: pg.ClientBase, text: string, sink: CopySink): Promise<number> {
  return client.query(new CopyOut(text, sink) as unknown as pg.Submittable & CopyOut).rows
}

/** `copy … from stdin`: resolves with the number of rows. A source that fails fails the statement. */
export function copyIn(client: pg.ClientBase, text: string, source: AsyncIterable<Buffer>): Promise<number> {
  return client.query(new CopyIn(text, source) as unknown as pg.Submittable & CopyIn).rows
}

/** Rows that were read and not taken yet. Above it PostgreSQL waits. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/**
 * The rows of a statement with one column, in batches as they come: memory is bounded by the largest row. The values must have no control characters (JSON
 * escapes them): then CSV with such as quote and delimiter gives them as they are, one in each line.
 */
export async function* copyLines(client: pg.Client, statement: string): AsyncGenerator<readonly Buffer[]> {
  let lines: Buffer[] = []
  let bytes = 0
  let isOver = false
  let wake = () => {}
  let drained = () => {}
  const text = `copy (${statement}) to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`
  const copied = copyOut(client, text, (chunk) => {
    lines.push(Buffer.from(chunk))
    bytes += chunk.length
    wake()
    if (bytes <= MAX_BUFFERED_BYTES) return undefined
    return new Promise<void>((resolve) => {
      drained = resolve
    })
  }).finally(() => {
    isOver = true
    wake()
  })
  // Awaited at the end; whoever stops before that has no use for it.
  copied.catch(() => {})
  try {
    while (lines.length > 0 || !isOver) {
      const taken = lines
      lines = []
      bytes = 0
      drained()
      if (taken.length > 0) yield taken
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    await copied
  } finally {
    // Who stops in the middle drops the connection: the rest is not waited for.
    if (!isOver) client.connection.stream.destroy()
  }
}
