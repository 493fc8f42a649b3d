import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { DataReader } from './data-reader.ts'

/** Where a message goes while it comes in. */
export interface MessageSink {
  add(content: Buffer): void
  /** After each piece that came. */
  moved(): void
  /** What was sent behind the message waits until `next` is called. */
  end(next: () => void): void
}

/**
 * The library's parser of commands, with our own reader for messages. Theirs finds the same end, but leaves lone line feeds as they
 * are, and goes through the event loop once for each doubled dot: 1 MB of such lines is 1.5 s of CPU, with ours 0.06 s.
 */
export class Parser extends SMTPStream {
  #sink: MessageSink | null = null
  #reader: DataReader | null = null

  /** What comes from here on is a message. */
  readMessage(sink: MessageSink) {
    this._dataMode = true
    this.#sink = sink
    this.#reader = new DataReader((content) => sink.add(content))
  }

  override _feedDataStream(chunk: Buffer, done: (error?: Error | null) => void) {
    const sink = this.#sink!
    const end = this.#reader!.read(chunk)
    sink.moved()
    if (end < 0) return done()
    this._dataMode = false
    this.#sink = null
    this.#reader = null
    sink.end(() => this._write(chunk.subarray(end), 'buffer', done))
  }
}
