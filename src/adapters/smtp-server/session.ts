import { finishChunk } from './chunk.ts'
import { ChunkReader } from './chunk-reader.ts'
import type { ListenerContext } from './context.ts'
import type { Deadline } from './deadline.ts'
import { finishTls, greet, step } from './dialogue.ts'
import type { SmtpAnswer, SmtpPeer, SmtpRefusal } from './handler.ts'
import { IncomingMessage } from './incoming-message.ts'
import { finishLogin, renewLogin } from './login.ts'
import { Parser } from './parser.ts'
import { PolicyCalls } from './policy-calls.ts'
import { formatReply, type Reply } from './reply.ts'
import { type Effect, type Envelope, NEW_STATE, type ReadChunk, respond, type State, type Step } from './state.ts'
import { finishMail, finishMessage, finishRecipient } from './transaction.ts'

/** What a session talks over. */
export interface Transport {
  readonly id: string
  readonly address: string
  readonly deadline: Deadline
  /** Resolves when there is room for more. */
  write(text: string): Promise<void> | void
  /** False: the handshake failed, and the connection is gone. */
  encrypt(): Promise<boolean>
  /** What was written still arrives. */
  close(): void
}

/** Replies to commands that came together leave together, unless they are more than this. */
const BATCH_BYTES = 4 * 1024

const TOO_SLOW: Reply = { code: 421, enhanced: '4.4.2', message: 'Timeout, closing the connection' }
const LINE_TOO_LONG: Reply = { code: 421, enhanced: '4.7.0', message: 'Command line too long' }
const SHUTTING_DOWN: Reply = { code: 421, enhanced: '4.3.2', message: 'Shutting down, try again later' }

/** One client's session: brings its lines to the dialogue (dialogue.ts), and does what the dialogue asks for. */
export class ServerSession<User> {
  readonly #context: ListenerContext<User>
  readonly #transport: Transport
  readonly #policy: PolicyCalls<User>
  #state: State<User>
  #parser: Parser
  /** Replies that have not been written. */
  #output = ''
  #message: IncomingMessage | null = null
  #isLeaving = false
  #isOver = false

  constructor(context: ListenerContext<User>, transport: Transport, isEncrypted: boolean) {
    this.#context = context
    this.#transport = transport
    this.#policy = new PolicyCalls(context)
    this.#state = { ...NEW_STATE, isEncrypted }
    this.#parser = this.#makeParser()
  }

  /** What the client sends goes here. Another one after `encrypt`. */
  get parser(): Parser {
    return this.#parser
  }

  async greet() {
    await this.#apply(greet(this.#state, this.#context))
    await this.#flush()
  }

  timeOut() {
    void this.#say(TOO_SLOW)
  }

  /** No new message from here on. One that has begun is taken. */
  leave() {
    this.#isLeaving = true
    if (!this.#message) void this.#say(SHUTTING_DOWN)
  }

  /** Nobody is there any more. */
  end() {
    this.#isOver = true
    this.#parser.shut()
    this.#dropMessage()
  }

  #makeParser(): Parser {
    return new Parser({
      line: (line) => {
        this.#transport.deadline.suspend()
        return this.#apply(step(this.#state, line, this.#context))
      },
      lineTooLong: () => this.#say(LINE_TOO_LONG),
      idle: () => this.#flush(),
    })
  }

  #apply({ state, replies, effect }: Step<User>): Promise<void> | void {
    if (this.#isOver) return
    this.#state = state
    for (const reply of replies) this.#output += formatReply(reply)
    if (!state.envelope) this.#dropMessage()
    if (effect) return this.#perform(effect)
    if (this.#isLeaving && !this.#message) return this.#say(SHUTTING_DOWN)
    this.#transport.deadline.awaitCommand()
    if (this.#output.length > BATCH_BYTES) return this.#flush()
  }

  #perform(effect: Effect): Promise<void> | void {
    switch (effect.kind) {
      case 'start TLS':
        return this.#startTls()
      case 'log in':
        return this.#logIn(effect)
      case 'begin message':
        return this.#beginMessage(effect.envelope)
      case 'check recipient':
        return this.#checkRecipient(effect.recipient)
      case 'read message':
        return this.#readMessage()
      case 'read chunk':
        return this.#readChunk(effect)
      case 'close':
        return this.#close()
    }
  }

  async #startTls() {
    void this.#flush()
    // Whatever was sent along with STARTTLS came in the clear: it stays in the old parser, which is deaf.
    this.#parser.shut()
    this.#parser = this.#makeParser()
    if (await this.#transport.encrypt()) await this.#apply(finishTls(this.#state))
  }

  async #logIn(credentials: { username: string; password: string; delayMs: number }) {
    void this.#flush()
    const result = await this.#policy.logIn(credentials, this.#peer)
    await this.#apply(finishLogin(this.#state, result, this.#context))
  }

  async #beginMessage(envelope: Envelope) {
    const refusal =
      (await this.#renewLogin()) ??
      (await this.#policy.checkSender(envelope.from, { peer: this.#peer, user: this.#state.user }))
    await this.#apply(finishMail(this.#state, envelope, refusal, this.#context))
  }

  async #checkRecipient(recipient: string) {
    const { user, envelope } = this.#state
    const about = { peer: this.#peer, user, from: envelope?.from ?? '' }
    const refusal = await this.#policy.checkRecipient(recipient, about)
    await this.#apply(finishRecipient(this.#state, recipient, refusal, this.#context))
  }

  async #readMessage() {
    const { deadline } = this.#transport
    const message = new IncomingMessage(this.#context, 'dot')
    this.#message = message
    const { reader } = message
    this.#parser.readBody({ reader, moved: () => deadline.awaitBody(), end: () => this.#finishMessage(message) })
    deadline.awaitBody()
    await this.#flush()
  }

  #readChunk(chunk: ReadChunk): Promise<void> | void {
    const { deadline } = this.#transport
    if (!chunk.refusal) this.#message ??= new IncomingMessage(this.#context, 'length')
    const reader = new ChunkReader(chunk.bytes, chunk.refusal || !this.#message ? null : this.#message.reader)
    deadline.awaitBody()
    if (chunk.bytes === 0) return this.#finishChunk(chunk)
    this.#parser.readBody({ reader, moved: () => deadline.awaitBody(), end: () => this.#finishChunk(chunk) })
  }

  #finishChunk(chunk: ReadChunk): Promise<void> | void {
    const message = this.#message
    const refusal = chunk.refusal ?? message?.objection ?? null
    if (message && chunk.isLast && !refusal) {
      message.reader.end()
      return this.#finishMessage(message)
    }
    if (refusal) this.#dropMessage()
    return this.#apply(finishChunk(this.#state, chunk, refusal, this.#context))
  }

  async #finishMessage(message: IncomingMessage) {
    this.#transport.deadline.suspend()
    void this.#flush()
    const answer = await message.handOver((raw) => this.#take(raw))
    this.#dropMessage()
    await this.#apply(finishMessage(this.#state, answer, this.#context))
    // Who has not heard the answer sends the message again.
    await this.#flush()
  }

  async #take(raw: Buffer): Promise<SmtpAnswer> {
    const refusal = await this.#renewLogin()
    if (refusal) return { kind: 'refused', ...refusal }
    const { user, envelope } = this.#state
    const { from = '', recipients = [] } = envelope ?? {}
    return this.#policy.take({ raw, from, recipients, peer: this.#peer, user })
  }

  async #renewLogin(): Promise<SmtpRefusal | null> {
    const { user } = this.#state
    if (user === null) return null
    const result = await this.#policy.renew(user, this.#peer)
    this.#state = renewLogin(this.#state, result)
    return 'user' in result ? null : result
  }

  #dropMessage() {
    this.#message?.drop()
    this.#message = null
    this.#transport.deadline.endMessage()
  }

  #say(reply: Reply): Promise<void> | void {
    return this.#apply(respond(this.#state, reply, this.#context))
  }

  /** Only while a deadline runs may anybody wait for it: there are clients that never read. */
  #flush(): Promise<void> | void {
    if (this.#output === '') return
    const text = this.#output
    this.#output = ''
    return this.#transport.write(text)
  }

  #close() {
    void this.#flush()
    this.end()
    this.#transport.close()
  }

  get #peer(): SmtpPeer {
    const { id, address } = this.#transport
    return { id, address, helo: this.#state.helo, isEncrypted: this.#state.isEncrypted }
  }
}
