import type { Connection } from './connection.ts'
import type { Conversation, Peer } from './conversation.ts'
import type { Host } from './destination.ts'
import { done, type Exchange, say } from './exchange.ts'
import type { Extensions } from './extensions.ts'
import type { Failure } from './failure.ts'
import { LogIn } from './log-in.ts'
import type { Timeouts } from './timeouts.ts'
import { Transaction, type TransactionInput, type Transcript } from './transaction.ts'

interface SessionParts {
  readonly host: Host
  readonly connection: Connection
  readonly extensions: Extensions
  readonly timeouts: Timeouts
  /** What we called ourselves. */
  readonly heloName: string
}

/** In an exchange without recipients. */
export const REPLY_BYTES = 65_536
const REPLY_BYTES_PER_RECIPIENT = 2_048
const FAREWELL_MS = 1_000

const NO_ANSWER = { code: 'ETIMEDOUT' }
const TOOK_TOO_LONG = { message: 'it took too long' }

/** One connection to one host, after the greeting, with TLS and the login done. Sends one message at a time. */
export class ClientSession {
  readonly host: Host
  readonly extensions: Extensions
  /** Messages sent so far, whatever came of them. */
  transactions = 0
  readonly #connection: Connection
  readonly #timeouts: Timeouts
  readonly #heloName: string
  #peer: Peer | null = null
  #needsReset = false

  constructor(parts: SessionParts) {
    this.host = parts.host
    this.extensions = parts.extensions
    this.#connection = parts.connection
    this.#timeouts = parts.timeouts
    this.#heloName = parts.heloName
  }

  /** Called once, when the connection has ended, whoever ended it. */
  set onEnd(listener: () => void) {
    this.#connection.onEnd = listener
  }

  get isOpen(): boolean {
    return this.#connection.isOpen
  }

  /** Encrypted, and the host has proved its name. */
  get isTrusted(): boolean {
    return this.#connection.isTrusted
  }

  get isEncrypted(): boolean {
    return this.#connection.isEncrypted
  }

  /** Why its certificate is no proof. Null: it is, or there is none. */
  get trustProblem(): string | null {
    return this.#connection.trustProblem
  }

  get localAddress(): string | null {
    return this.#connection.localAddress
  }

  get peer(): Peer {
    this.#peer ??= this.#findPeer()
    return this.#peer
  }

  #findPeer(): Peer {
    const { host, address, port } = this.host
    const { localAddress, tls } = this.#connection
    return { host, address, port, localAddress, heloName: this.#heloName, tls }
  }

  /** Null when the host let us in. */
  logIn(auth: NonNullable<Host['auth']>, conversation?: Conversation): Promise<Failure | null> {
    const limits = { totalMs: this.#timeouts.commandMs * 3, late: NO_ANSWER, replyBytes: REPLY_BYTES, conversation }
    return this.#connection.run(new LogIn(this.host, auth, this.extensions.authMethods), limits)
  }

  send(mail: TransactionInput, conversation?: Conversation): Promise<Transcript> {
    this.transactions++
    const transaction = new Transaction(mail, this.extensions, {
      needsReset: this.#needsReset,
      timeouts: this.#timeouts,
    })
    const limits = {
      totalMs: this.#timeouts.transactionMs,
      late: TOOK_TOO_LONG,
      replyBytes: REPLY_BYTES + REPLY_BYTES_PER_RECIPIENT * mail.to.length,
      conversation,
    }
    return this.#connection.run(transaction, limits).then((transcript) => {
      // Refused before the message, it is still open on the other side.
      this.#needsReset = transcript.end.kind === 'refused' && !transaction.isMessageBegun
      return transcript
    })
  }

  /** Ends it politely, without keeping anybody waiting. */
  quit() {
    const limits = { totalMs: FAREWELL_MS, late: NO_ANSWER, replyBytes: REPLY_BYTES }
    void this.#connection.run(QUIT, limits).then(() => this.#connection.close())
    setTimeout(() => this.destroy(), FAREWELL_MS).unref()
  }

  destroy() {
    this.#connection.destroy()
  }
}

/** Whatever is said to it. */
const QUIT: Exchange<void> = {
  begin: () => say('QUIT'),
  take: () => done(undefined),
  lost: () => {},
}
