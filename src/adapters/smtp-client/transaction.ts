import { isAscii } from 'node:buffer'
import { done, type Exchange, type Step, say, WAIT } from './exchange.ts'
import type { Extensions } from './extensions.ts'
import { describeError, type SmtpError } from './failure.ts'
import { isPositive, isRefusal, type Reply, replyOf } from './reply-reader.ts'
import { TIMEOUTS, type Timeouts } from './timeouts.ts'

/** How a transaction ended. What was said about single recipients is beside it, and holds whatever the end. */
export interface Transcript {
  /** By recipient: the replies that were not a yes. */
  readonly refusals: ReadonlyMap<string, string>
  /** Whether the message was sent to its end. If the connection is lost then, nobody can tell whether it has arrived. */
  readonly isDataSent: boolean
  /** Whether it ended with the answer to MAIL, before any recipient was judged. */
  readonly isSenderRefused: boolean
  readonly end:
    | { readonly kind: 'accepted'; readonly reply: string }
    | { readonly kind: 'refused'; readonly reply: string }
    /** `isLate`: there was no answer in time; otherwise the connection ended, or the two sides did not understand each other. */
    | { readonly kind: 'lost'; readonly reason: string; readonly isLate: boolean }
    /** We did not send the end of the message: it was not ours any more. */
    | { readonly kind: 'withdrawn' }
}

/** One in which the other side had the last word. */
export type JudgedTranscript = Omit<Transcript, 'end'> & {
  readonly end: Exclude<Transcript['end'], { readonly kind: 'withdrawn' }>
}

export interface TransactionInput {
  readonly from: string
  readonly to: readonly string[]
  readonly needsUtf8: boolean
  readonly message: Buffer
  /** Asked before the end of the message is sent. */
  isOurs(): boolean
  /** Called when all of it was sent: nobody needs the message any more. */
  onSent?(): void
}

/**
 * One message: MAIL, RCPT for each recipient, DATA, the message. A server that offers PIPELINING gets all but the message at once
 * and is heard to the end, whatever it says to the first of it; any other is asked one thing at a time.
 */
export class Transaction implements Exchange<Transcript> {
  readonly #input: TransactionInput
  readonly #extensions: Extensions
  readonly #needsReset: boolean
  readonly #timeouts: Pick<Timeouts, 'envelopeMs' | 'finalDotMs'>
  readonly #refusals = new Map<string, string>()
  /** What the next reply is about. */
  #stage: 'RSET' | 'MAIL' | 'RCPT' | 'DATA' | 'message' | 'empty message' = 'MAIL'
  #answeredRecipients = 0
  /** What was said to MAIL, when it was no yes. */
  #senderRefusal: Reply | null = null
  #isDataSent = false
  #isWithdrawn = false

  /** `needsReset`: the one before was refused and is still open on the other side, so that MAIL would be one too many. */
  constructor(
    input: TransactionInput,
    extensions: Extensions,
    { needsReset = false, timeouts = TIMEOUTS }: { needsReset?: boolean; timeouts?: Timeouts } = {},
  ) {
    this.#input = input
    this.#timeouts = timeouts
    this.#extensions = extensions
    this.#needsReset = needsReset
  }

  get isMessageBegun(): boolean {
    return this.#stage === 'message'
  }

  begin(): Step<Transcript> {
    if (!this.#needsReset) return this.#sendEnvelope()
    this.#stage = 'RSET'
    return say('RSET')
  }

  take(reply: Reply): Step<Transcript> {
    const step = this.#next(reply)
    // It may come as the answer to anything, and there will be no other.
    return reply.code === 421 && step.kind !== 'done' ? this.#ended(this.#senderRefusal ?? reply) : step
  }

  lost(error: SmtpError, begunYes: string | null = null): Transcript {
    if (this.#isWithdrawn) return this.#transcript({ kind: 'withdrawn' })
    // It has taken the message, however long it goes on to say so: another copy would be one too many.
    if (begunYes !== null && this.#isDataSent) return this.#transcript({ kind: 'accepted', reply: begunYes })
    const end = error.response === undefined ? undefined : endBy(replyOf(error.response))
    return this.#transcript(end ?? { kind: 'lost', reason: describeError(error), isLate: error.code === 'ETIMEDOUT' })
  }

  #next(reply: Reply): Step<Transcript> {
    switch (this.#stage) {
      case 'RSET':
        return isPositive(reply) ? this.#sendEnvelope() : this.#ended(reply)
      case 'MAIL':
        return this.#takeSender(reply)
      case 'RCPT':
        return this.#takeRecipient(reply)
      case 'DATA':
        return this.#takeGoAhead(reply)
      case 'empty message':
        return this.#ended(this.#lastRefusal())
      case 'message':
        return this.#takeVerdict(reply)
    }
  }

  #sendEnvelope(): Step<Transcript> {
    this.#stage = 'MAIL'
    const { hasPipelining } = this.#extensions
    if (!hasPipelining) return this.#ask(this.#mail())
    return this.#ask(this.#mail(), ...this.#input.to.map(rcpt), 'DATA')
  }

  #ask(...lines: readonly string[]): Step<Transcript> {
    return { ...say(...lines), withinMs: this.#timeouts.envelopeMs }
  }

  #mail(): string {
    const { from, message, needsUtf8 } = this.#input
    const { has8BitMime, hasSize, hasUtf8 } = this.#extensions
    return [
      `MAIL FROM:<${from}>`,
      ...(has8BitMime && !isAscii(message) ? ['BODY=8BITMIME'] : []),
      ...(hasSize && message.length > 0 ? [`SIZE=${message.length}`] : []),
      // A header that is not ASCII needs it just as much as an envelope (RFC 6531, section 3.4).
      ...(hasUtf8 && needsUtf8 ? ['SMTPUTF8'] : []),
    ].join(' ')
  }

  #takeSender(reply: Reply): Step<Transcript> {
    if (!isPositive(reply)) this.#senderRefusal = reply
    this.#stage = 'RCPT'
    if (this.#extensions.hasPipelining) return WAIT
    return this.#senderRefusal ? this.#ended(this.#senderRefusal) : this.#ask(rcpt(this.#input.to[0]!))
  }

  #takeRecipient(reply: Reply): Step<Transcript> {
    const { to } = this.#input
    if (!isPositive(reply)) this.#refusals.set(to[this.#answeredRecipients]!, reply.text)
    this.#answeredRecipients++
    const isLast = this.#answeredRecipients === to.length
    if (isLast) this.#stage = 'DATA'
    if (this.#extensions.hasPipelining) return WAIT
    if (!isLast) return this.#ask(rcpt(to[this.#answeredRecipients]!))
    return this.#isForNobody ? this.#ended(this.#lastRefusal()) : say('DATA')
  }

  #takeGoAhead(reply: Reply): Step<Transcript> {
    const isGoAhead = reply.code >= 200 && reply.code < 400
    // Refused, and asked for the message all the same: what it would do with an end of it is anybody's guess.
    if (this.#senderRefusal) return this.#ended(this.#senderRefusal, { isEnd: isGoAhead })
    if (this.#isForNobody && isGoAhead) {
      this.#stage = 'empty message'
      return say('.')
    }
    if (this.#isForNobody) return this.#ended(this.#lastRefusal())
    if (!isGoAhead) return this.#ended(reply)
    this.#stage = 'message'
    return {
      kind: 'message',
      message: this.#input.message,
      mayEnd: () => this.#mayEnd(),
      onSent: () => this.#input.onSent?.(),
      withinMs: this.#timeouts.finalDotMs,
    }
  }

  #takeVerdict(reply: Reply): Step<Transcript> {
    // In the middle of the message: there is no end of it to wait for, and a yes to half of it is none.
    const isEnd = !this.#isDataSent
    if (isPositive(reply) && !isEnd) return done(this.#transcript({ kind: 'accepted', reply: reply.text }))
    return this.#ended(reply, { isEnd })
  }

  #mayEnd(): boolean {
    this.#isDataSent = this.#input.isOurs()
    this.#isWithdrawn = !this.#isDataSent
    return this.#isDataSent
  }

  get #isForNobody(): boolean {
    return this.#refusals.size === this.#input.to.length
  }

  #lastRefusal(): Reply {
    return replyOf([...this.#refusals.values()].at(-1) ?? '')
  }

  #ended(reply: Reply, { isEnd = false } = {}): Step<Transcript> {
    const end = endBy(reply)
    return done(this.#transcript(end ?? { kind: 'lost', reason: `it answered ${reply.text}`, isLate: false }), {
      isEnd: isEnd || !end,
    })
  }

  #transcript(end: Transcript['end']): Transcript {
    // Recipients that were named in the same breath as the sender were refused only because the sender was.
    const refusals = this.#senderRefusal && end.kind === 'refused' ? new Map() : this.#refusals
    return { refusals, isDataSent: this.#isDataSent, isSenderRefused: this.#senderRefusal !== null, end }
  }
}

const rcpt = (address: string) => `RCPT TO:<${address}>`

/** Undefined for what is no refusal in SMTP: the two sides no longer talk about the same thing. */
const endBy = (reply: Reply) => (isRefusal(reply) ? ({ kind: 'refused', reply: reply.text } as const) : undefined)
