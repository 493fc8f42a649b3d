import { isAscii } from 'node:buffer'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { SMTPConnectionEnvelope } from 'nodemailer/lib/smtp-connection'
import type { Host } from './destination.ts'
import type { Dialogue } from './dialogue.ts'
import type { Extensions } from './extensions.ts'
import { describeError, type Failure } from './failure.ts'
import { logIn } from './log-in.ts'

/** How a transaction ended. What was said about single recipients is beside it, and holds whatever the end. */
export interface Transcript {
  /** By recipient: the replies that were not a yes. */
  readonly refusals: ReadonlyMap<string, string>
  /** Whether the message was sent to its end. If the connection is lost then, nobody can tell whether it has arrived. */
  readonly isDataSent: boolean
  readonly end:
    | { readonly kind: 'accepted'; readonly reply: string }
    | { readonly kind: 'refused'; readonly reply: string }
    | { readonly kind: 'lost'; readonly reason: string }
    /** We did not send the end of the message: it was not ours any more. */
    | { readonly kind: 'withdrawn' }
}

/** One in which the other side had the last word. */
export type JudgedTranscript = Omit<Transcript, 'end'> & {
  readonly end: Exclude<Transcript['end'], { readonly kind: 'withdrawn' }>
}

interface SessionParts {
  readonly host: Host
  readonly dialogue: Dialogue
  readonly socket: Socket
  readonly extensions: Extensions
  readonly transactionMs: number
}

const REPLY_BYTES = 65_536
const REPLY_BYTES_PER_RECIPIENT = 2_048
const FAREWELL_MS = 1_000

/** One connection to one host, after the greeting, with TLS and the login done. Sends one message at a time. */
export class Session {
  readonly host: Host
  readonly extensions: Extensions
  /** Messages sent so far, whatever came of them. */
  transactions = 0
  /** Called once, when the connection has ended, whoever ended it. */
  onEnd = () => {}
  readonly #dialogue: Dialogue
  readonly #socket: Socket
  readonly #transactionMs: number
  #needsReset = false

  constructor(parts: SessionParts) {
    this.host = parts.host
    this.extensions = parts.extensions
    this.#dialogue = parts.dialogue
    this.#socket = parts.socket
    this.#transactionMs = parts.transactionMs
    this.#dialogue.once('end', () => this.onEnd())
  }

  get isOpen(): boolean {
    const socket = this.#dialogue._socket
    return !this.#dialogue.destroyed && !!socket && socket.writable
  }

  /** Encrypted, and the host has proved its name. */
  get isTrusted(): boolean {
    const socket = this.#dialogue._socket
    return this.#dialogue.secure && !!socket && 'authorized' in socket && socket.authorized === true
  }

  get isEncrypted(): boolean {
    return this.#dialogue.secure
  }

  /** Null when the host let us in. */
  logIn(auth: NonNullable<Host['auth']>): Promise<Failure | null> {
    return logIn(this.host, auth, this.#dialogue, this.#transactionMs)
  }

  async send(
    envelope: { from: string; to: readonly string[]; needsUtf8: boolean },
    message: Buffer,
    isOurs = () => true,
  ): Promise<Transcript> {
    this.transactions++
    this.#dialogue.allow(REPLY_BYTES + REPLY_BYTES_PER_RECIPIENT * envelope.to.length)
    this.#dialogue.needsUtf8 = envelope.needsUtf8
    return (await this.#forget()) ?? this.#transact(envelope, message, isOurs)
  }

  /** Ends it politely, without keeping anybody waiting. */
  quit() {
    this.#dialogue.allow(REPLY_BYTES)
    if (this.isOpen) this.#dialogue.quit()
    setTimeout(() => this.destroy(), FAREWELL_MS).unref()
  }

  destroy() {
    const encrypted = this.#dialogue._socket
    this.#dialogue.close()
    if (encrypted) encrypted.destroy()
    this.#socket.destroy()
  }

  /** A refused transaction is still open on the other side: the next MAIL would be one too many. */
  #forget(): Promise<Transcript | null> {
    if (!this.#needsReset) return Promise.resolve(null)
    this.#needsReset = false
    const lost = (reason: string): Transcript => ({
      refusals: new Map(),
      isDataSent: false,
      end: { kind: 'lost', reason },
    })
    return this.#withinTime<Transcript | null>(lost, (done) => {
      this.#dialogue.reset((error) => done(error ? lost(describeError(error)) : null))
    })
  }

  #transact(
    envelope: { from: string; to: readonly string[] },
    message: Buffer,
    isOurs: () => boolean,
  ): Promise<Transcript> {
    const to = [...envelope.to]
    // nodemailer keeps its books in the object that it is given, and gives them back only when all went well.
    const books: Partial<SMTPConnectionEnvelope> = {
      from: envelope.from,
      to,
      size: message.length,
      use8BitMime: !isAscii(message),
    }
    let isDataBegun = false
    let isDataSent = false
    this.#dialogue.mayEnd = () => {
      isDataSent = isOurs()
      return isDataSent
    }
    // Anything that can be piped passes for a stream, and is asked for its bytes once the server has said yes to DATA.
    const source = {
      pipe(target: Writable) {
        isDataBegun = true
        target.end(message)
      },
    } as unknown as Readable

    const transcript = (end: Transcript['end']): Transcript => ({
      refusals: new Map((books.rejectedErrors ?? []).map((one) => [one.recipient ?? '', one.response ?? ''])),
      isDataSent,
      end,
    })
    const lost = (reason: string) => transcript({ kind: 'lost', reason })
    return this.#withinTime(lost, (done) => {
      this.#dialogue.onWithdrawn = () => done(transcript({ kind: 'withdrawn' }))
      this.#dialogue.send(books, source, (error, info) => {
        if (!error) return done(transcript({ kind: 'accepted', reply: info.response }))
        // A reply out of turn, or one that is no reply at all: the two sides no longer talk about the same thing.
        const isReply = /^[45]\d\d/.test(error.response ?? '') && error.code !== 'EPROTOCOL'
        if (!isReply) return done(lost(describeError(error)))
        this.#needsReset = !isDataBegun
        // Refused in the middle of the message: there is no end of it to wait for.
        if (isDataBegun && !isDataSent) this.destroy()
        const refused = transcript({ kind: 'refused', reply: error.response! })
        // The recipients were named in the same breath as the sender, and refused only because the sender was.
        done(error.command === 'MAIL FROM' ? { ...refused, refusals: new Map() } : refused)
      })
    })
  }

  /**
   * The time for inactivity is nodemailer's business; this is the time for all of it, which a server that says one byte a minute
   * would otherwise stretch for ever. It also catches the end of a connection that nodemailer does not report.
   */
  #withinTime<Value>(lost: (reason: string) => Value, start: (done: (value: Value) => void) => void): Promise<Value> {
    return new Promise((resolve) => {
      const finish = (value: Value) => {
        clearTimeout(timer)
        this.#dialogue.off('end', onEnd)
        resolve(value)
      }
      const giveUp = (reason: string) => {
        finish(lost(reason))
        this.destroy()
      }
      const timer = setTimeout(() => giveUp('it took too long'), this.#transactionMs)
      const onEnd = () => setImmediate(() => giveUp('the connection was closed'))
      this.#dialogue.once('end', onEnd)
      start(finish)
    })
  }
}
