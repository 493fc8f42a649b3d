import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, TLSSocket } from 'node:tls'
import type { Conversation, PeerTls } from './conversation.ts'
import type { Exchange, Step } from './exchange.ts'
import { describeError, type SmtpError } from './failure.ts'
import { type Reply, ReplyReader } from './reply-reader.ts'
import { SINGLE_WRITE_BYTES, writeMessage } from './write-message.ts'

export interface ConnectionOptions {
  /** The name that the certificate must carry. */
  readonly host: string
  /** Whose certificates count. Undefined: those that Node trusts. */
  readonly secureContext: SecureContext | undefined
  /** For a reply to what says nothing else. */
  readonly commandMs: number
  /** Without any of a message having been taken. */
  readonly dataBlockMs: number
}

export interface ExchangeLimits {
  /** For all of it, to the end of a message if there is one: each reply in its time can still be hours for hundreds of recipients. */
  readonly totalMs: number
  readonly late: SmtpError
  /** How much the server may say. */
  readonly replyBytes: number
  /** Notes what is said. */
  readonly conversation?: Conversation | undefined
}

const CLOSED: SmtpError = { code: 'ECONNECTION' }
const TIMED_OUT: SmtpError = { code: 'ETIMEDOUT' }
const TOO_LONG: SmtpError = { message: 'the replies are too long' }
const UNASKED: SmtpError = { message: 'it sent an unexpected reply' }

/**
 * The socket under a dialogue: makes replies of its bytes, does what the exchange in progress says, encrypts, and keeps the time.
 * What goes wrong ends the connection and becomes the result of the exchange; nothing is thrown.
 */
export class Connection {
  /** Called once, when the connection has ended, whoever ended it. */
  onEnd = () => {}
  readonly #options: ConnectionOptions
  readonly #plain: Socket
  readonly #replies = new ReplyReader()
  /** What we talk through: the plain socket, or TLS on top of it. */
  #stream: Socket
  #exchange: Exchange<unknown> | null = null
  /** Of the exchange in progress. */
  #conversation: Conversation | undefined
  #finish: (result: unknown) => void = () => {}
  /** Replies to come to what was said. Any other is one that nobody has asked for. */
  #due = 0
  /** Decided by the replies of a packet, and done when all of them were heard. */
  #next: Step<unknown> | null = null
  /** From reply to reply, all that are due. */
  #stepTimer: NodeJS.Timeout | undefined
  #totalTimer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#options = options
    this.#plain = socket
    this.#stream = socket
    this.#watch(socket)
    socket.on('data', this.#hear)
  }

  get isOpen(): boolean {
    return !this.#isOver && this.#stream.writable
  }

  get isEncrypted(): boolean {
    return this.#stream instanceof TLSSocket
  }

  /** Encrypted, and the host has proved its name. */
  get isTrusted(): boolean {
    return this.#stream instanceof TLSSocket && this.#stream.authorized
  }

  /** Why the certificate is no proof, as a code of Node's or OpenSSL's. Null: it is, or there is none. */
  get trustProblem(): string | null {
    if (!(this.#stream instanceof TLSSocket) || this.#stream.authorized) return null
    // An error or its code, whatever the types say.
    const problem = this.#stream.authorizationError as Error | string | null
    return problem === null ? 'unknown' : typeof problem === 'string' ? problem : problem.message
  }

  /** The address that we speak from. */
  get localAddress(): string | null {
    return this.#plain.localAddress ?? null
  }

  /** How it is encrypted. Null: it is not. */
  get tls(): PeerTls | null {
    if (!(this.#stream instanceof TLSSocket)) return null
    const { name } = this.#stream.getCipher()
    return { version: this.#stream.getProtocol() ?? 'unknown', cipher: name, isTrusted: this.#stream.authorized }
  }

  #tlsInWords(): string {
    const { version, cipher } = this.tls!
    const problem = this.trustProblem
    return `encrypted with ${version} ${cipher}, ${problem === null ? 'certificate verified' : `certificate not verified: ${problem}`}`
  }

  #shown(text: string): string {
    return this.#exchange?.shown?.(text) ?? text
  }

  /** One at a time. */
  run<Result>(exchange: Exchange<Result>, limits: ExchangeLimits): Promise<Result> {
    if (!this.isOpen) return Promise.resolve(exchange.lost(CLOSED))
    this.#replies.allow(limits.replyBytes)
    return new Promise((resolve) => {
      this.#totalTimer = setTimeout(() => this.#end(limits.late), limits.totalMs)
      this.#exchange = exchange
      this.#conversation = limits.conversation
      this.#finish = (result) => {
        clearTimeout(this.#totalTimer)
        clearTimeout(this.#stepTimer)
        if (this.#stream.timeout) this.#stream.setTimeout(0)
        this.#exchange = null
        this.#conversation = undefined
        resolve(result as Result)
      }
      this.#decide(exchange.begin())
      this.#proceed()
    })
  }

  /** Politely: what was written still arrives. */
  close() {
    if (this.isOpen) this.#stream.end()
  }

  destroy() {
    this.#end(CLOSED)
  }

  readonly #hear = (packet: Buffer) => {
    if (this.#isOver) return
    const replies = this.#replies.read(packet)
    if (!replies) return this.#end(TOO_LONG)
    for (const reply of replies) {
      this.#take(reply)
      // What came in one packet with the yes to STARTTLS was not said by whom we are about to talk to.
      if (this.#isOver || this.#next?.kind === 'encrypt') break
    }
    this.#proceed()
  }

  #take(reply: Reply) {
    this.#conversation?.hear(this.#shown(reply.text))
    // A server may say that it is about to end the connection whenever it likes.
    const farewell = reply.code === 421 ? { response: reply.text } : null
    if (this.#due === 0 || !this.#exchange) return this.#end(farewell ?? UNASKED)
    this.#due--
    if (this.#due > 0) this.#stepTimer?.refresh()
    else clearTimeout(this.#stepTimer)
    this.#decide(this.#exchange.take(reply))
    if (farewell) this.#end(farewell)
  }

  #decide(step: Step<unknown>) {
    if (step.kind !== 'done') {
      this.#next = step
      return
    }
    this.#finish(step.result)
    if (step.isEnd) this.#end(CLOSED)
  }

  #proceed() {
    const step = this.#next
    this.#next = null
    switch (step?.kind) {
      case 'say':
        this.#expect(step.lines.length, step.withinMs ?? this.#options.commandMs)
        if (this.#conversation) for (const line of step.lines) this.#conversation.say(this.#shown(line))
        this.#stream.write(`${step.lines.join('\r\n')}\r\n`)
        break
      case 'listen':
        this.#expect(1, step.withinMs)
        break
      case 'encrypt':
        this.#giveUpAfter(step.withinMs)
        this.#encrypt(step.then)
        break
      case 'message':
        this.#sendMessage(step)
    }
  }

  /** While it is on its way the other side has to take some of it now and then; once it has all, the time for its answer begins. */
  #sendMessage({ message, mayEnd, onSent, withinMs }: Extract<Step<unknown>, { kind: 'message' }>) {
    const exchange = this.#exchange
    this.#conversation?.note(`message of ${message.length} bytes`)
    this.#due += 1
    const isInPieces = message.length > SINGLE_WRITE_BYTES
    // What leaves in one piece is with a system, ours or theirs, at once.
    if (isInPieces) this.#stream.setTimeout(this.#options.dataBlockMs)
    else this.#giveUpAfter(withinMs)
    writeMessage(this.#stream, message, {
      mayEnd,
      onWithdrawn: () => this.#end(CLOSED),
      onSent: () => {
        // It may have been answered meanwhile.
        if (this.#isOver || this.#exchange !== exchange) return
        clearTimeout(this.#totalTimer)
        if (this.#conversation) this.#conversation.sentMs = performance.now()
        if (isInPieces) {
          this.#stream.setTimeout(0)
          this.#giveUpAfter(withinMs)
        }
        onSent()
      },
    })
  }

  #expect(replies: number, withinMs: number) {
    this.#due += replies
    this.#giveUpAfter(withinMs)
  }

  /** Certificates are not judged here: `isTrusted` tells. */
  #encrypt(then: () => Step<unknown>) {
    const { host, secureContext } = this.#options
    this.#plain.off('data', this.#hear)
    this.#replies.discard()
    try {
      this.#stream = connectTls({
        socket: this.#plain,
        host,
        ...(isIP(host) === 0 && { servername: host }),
        rejectUnauthorized: false,
        ...(secureContext && { secureContext }),
      })
    } catch (error) {
      return this.#end(error as Error)
    }
    this.#watch(this.#stream)
    this.#stream.once('secureConnect', () => {
      if (this.#isOver) return
      clearTimeout(this.#stepTimer)
      this.#stream.on('data', this.#hear)
      this.#conversation?.note(this.#tlsInWords())
      this.#decide(then())
      this.#proceed()
    })
  }

  #watch(socket: Socket) {
    // After its end there is nothing left to be said.
    socket
      .on('error', (error) => this.#end(error))
      .on('end', this.#onGone)
      .on('close', this.#onGone)
      .on('timeout', () => this.#end(TIMED_OUT))
  }

  readonly #onGone = () => {
    const response = this.#replies.cutOff()
    if (response !== null) this.#conversation?.hear(this.#shown(response))
    this.#end(response === null ? CLOSED : { ...CLOSED, response })
  }

  #giveUpAfter(ms: number) {
    clearTimeout(this.#stepTimer)
    this.#stepTimer = setTimeout(() => this.#end(TIMED_OUT), ms)
  }

  #end(error: SmtpError) {
    if (this.#isOver) return
    this.#isOver = true
    this.#next = null
    clearTimeout(this.#stepTimer)
    if (this.#exchange) {
      const begunYes = this.#replies.begunYes()
      this.#conversation?.note(error.response === undefined ? describeError(error) : 'the connection was closed')
      if (begunYes !== null) this.#conversation?.hear(this.#shown(begunYes))
      this.#finish(this.#exchange.lost(error, begunYes))
    }
    this.#stream.destroy()
    this.#plain.destroy()
    this.onEnd()
  }
}
