import { once } from 'node:events'
import pg from 'pg'

/** Rows that are read and not used yet: above it the socket is paused, so PostgreSQL waits. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/**
 * The rows of a statement with one column, through COPY: one at a time leaves PostgreSQL, so memory is bounded by the largest row. The values
 * must have no control characters (JSON escapes them): then CSV with such as quote and delimiter gives them as they are, one in each line.
 */
export async function* copyOut(client: pg.Client, statement: string): AsyncGenerator<readonly Buffer[]> {
  const query = new CopyQuery(
    `copy (${statement}) to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`,
    client.connection.stream,
  )
  client.query(query)
  try {
    for (;;) {
      const rows = query.take()
      if (rows.length > 0) yield rows
      else if (query.isDone) return
      else await query.next()
    }
  } finally {
    // Who stops in the middle drops the connection: the rest is not waited for.
    if (!query.isDone) client.connection.stream.destroy()
  }
}

class CopyQuery extends pg.Query {
  readonly #stream: { pause(): unknown; resume(): unknown }
  readonly #changed = new EventTarget()
  #rows: Buffer[] = []
  #bytes = 0
  #isDone = false
  #error: unknown = null

  constructor(text: string, stream: { pause(): unknown; resume(): unknown }) {
    super(text, undefined, (error) => this.#end(error))
    this.#stream = stream
  }

  get isDone() {
    return this.#isDone
  }

  /** What has come since the last time. */
  take(): Buffer[] {
    const rows = this.#rows
    this.#rows = []
    this.#bytes = 0
    this.#stream.resume()
    if (rows.length === 0 && this.#error) throw this.#error
    return rows
  }

  /** Resolves when there is more, or when it has ended. */
  async next() {
    await once(this.#changed, 'change')
  }

  handleCopyData({ chunk }: { chunk: Buffer }) {
    // The driver goes on writing into the buffer that this is a part of.
    this.#rows.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes > MAX_BUFFERED_BYTES) this.#stream.pause()
    this.#changed.dispatchEvent(new Event('change'))
  }

  handleCommandComplete() {}

  handleReadyForQuery() {
    this.#end(null)
  }

  #end(error: unknown) {
    this.#error = error
    this.#isDone = true
    this.#changed.dispatchEvent(new Event('change'))
  }
}
