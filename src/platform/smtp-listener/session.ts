import type { Socket } from 'node:net'
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import { objectionTo } from './command.ts'
import { isRefusal, type SmtpAnswer, type SmtpRefusal } from './desk.ts'
import type { House } from './house.ts'
import { MessageBuffer } from './message-buffer.ts'
import { Parser } from './parser.ts'
import { objectionToPath, readPathCommand } from './path-command.ts'
import type { Port } from './port.ts'
import type { Reception } from './reception.ts'
import { hasEnhancedCode, headerTooLarge, NO_ROOM, replyText, tooLarge } from './reply.ts'

/** How long somebody who was told to go may take to hang up while the listener stops. */
const GOODBYE_MS = 500
/** Less room than this is none. */
const SMALLEST_ROOM_BYTES = 64 * 1024

/**
 * One client's session. The library has the commands, TLS and the state between them; here is what it leaves open: time and
 * patience, messages, and leaving in order.
 *
 * Time is one deadline, `#dueAt`, which the listener looks at several times a second: until the next command is complete, or
 * until a message goes on. While the desk thinks there is none.
 */
export class Session<User> extends SMTPConnection {
  readonly #house: House<User>
  readonly #reception: Reception<User>
  readonly #port: Port<User>
  readonly #endsAt: number
  #dueAt: number
  #errors = 0
  /** From DATA to the answer. */
  #message: MessageBuffer | null = null
  #isReceiving = false
  #isLeaving = false
  #hidesAuth = false

  constructor(port: Port<User>, socket: Socket, options?: SMTPConnectionOptions | null) {
    super(port, socket, options)
    this.#port = port
    this.#house = port.house
    this.#reception = port.reception
    const now = performance.now()
    this.#endsAt = now + this.#house.limits.sessionMs
    this.#dueAt = now + this.#house.limits.commandMs
  }

  /**
   * Greets at once: in 0.6 ms. The library waits 100 ms for those who talk first, and so caps a client with one message a connection
   * at 10 a second. Programs that never wait have their words in the packets right behind the handshake, and one turn of the event
   * loop finds them there: 200 of 200 from another process on the same machine. Who waits a little and then talks is missed; that is
   * the price, and a small one, since they could as well wait for the greeting.
   */
  override init() {
    this._setListeners(() => setImmediate(() => this.connectionReady()))
  }

  /** Texts may bring their own enhanced code. Whoever hears a permanent no too often between two messages is sent away. */
  override send(code: number, text?: string | string[] | null, context?: string | false) {
    super.send(code, text, hasEnhancedCode(text) ? false : context)
    if (code >= 500 && ++this.#errors >= this.#house.limits.errors && !this._closing)
      super.send(421, '4.7.0 Too many errors', false)
  }

  override _onCommand(command: Buffer, callback?: () => void) {
    this.#dueAt = Number.POSITIVE_INFINITY
    const next = () => {
      this.#awaitCommand()
      callback?.()
    }
    const objection = this._ready && !this._upgrading ? objectionTo(command, Boolean(this._nextHandler)) : null
    if (objection) {
      this.#refuse(objection)
      return void setImmediate(next)
    }
    super._onCommand(command, next)
  }

  override handler_MAIL(command: Buffer, callback: () => void) {
    const read = readPathCommand('MAIL FROM', command.toString())
    const objection = objectionToPath(read, !isRefusal(read) && 'SMTPUTF8' in read.parameters)
    if (!objection) return super.handler_MAIL(command, callback)
    this.#refuse(objection)
    callback()
  }

  override handler_RCPT(command: Buffer, callback: () => void) {
    const objection = objectionToPath(readPathCommand('RCPT TO', command.toString()), 'SMTPUTF8' in this.#parameters)
    if (!objection) return super.handler_RCPT(command, callback)
    this.#refuse(objection)
    callback()
  }

  /** The library's own takes a quoted space for the end of the address, and anything behind it for a parameter. */
  override _parseAddressCommand(name: string, command: Buffer | string) {
    const read = readPathCommand(name === 'mail from' ? 'MAIL FROM' : 'RCPT TO', command.toString())
    if (isRefusal(read)) return false
    const { address, parameters, repeated } = read
    return { address, args: parameters, ...(repeated !== null && { duplicate: repeated }) }
  }

  /** Offers AUTH only where it may be used; whoever tries all the same hears why not. */
  override handler_EHLO(command: Buffer, callback: () => void) {
    this.#hidesAuth = !this.#mayLogIn
    super.handler_EHLO(command, callback)
    this.#hidesAuth = false
  }

  override _isDisabled(command: string): boolean {
    return (this.#hidesAuth && command === 'AUTH') || super._isDisabled(command)
  }

  /** Not between MAIL and DATA (RFC 4954): recipients were checked for somebody else. */
  override handler_AUTH(command: Buffer, callback: () => void) {
    if (!this.#mayLogIn) this.send(538, '5.7.11 Encryption is needed to log in')
    else if (this.session.envelope.mailFrom) this.send(503, '5.5.1 Log in before MAIL')
    else return super.handler_AUTH(command, callback)
    callback()
  }

  override handler_DATA(_command: Buffer, callback: () => void) {
    const { memory, maxMessageBytes, limits } = this.#house
    const expected = Number(this.#parameters.SIZE ?? 0)
    if (this.session.envelope.rcptTo.length === 0) this.send(503, '5.5.1 RCPT first')
    else if (memory.free < Math.max(expected, SMALLEST_ROOM_BYTES)) this.#refuse(NO_ROOM)
    else if (this._parser instanceof Parser)
      this.#receive(this._parser, new MessageBuffer(memory, maxMessageBytes, limits))
    callback()
  }

  /** After the handshake nothing of before counts, and nothing that was sent along with STARTTLS is read: the library's part. */
  override upgrade(callback: () => void, secureCallback?: () => void) {
    const plain = this._socket
    // A TLS socket around one that is gone takes the whole process with it (SIGSEGV, Node 20).
    if (plain.destroyed) return
    this.#port.renewCertificate()
    super.upgrade(callback, secureCallback)
    this.#house.admission.watch(plain)
  }

  /** The library's limit starts again with every byte; `#dueAt` does not. */
  override _armTimeout() {}

  override _createParser(): Parser {
    const parser = new Parser()
    parser.oncommand = (command: Buffer, callback?: () => void) => this._onCommand(command, callback)
    parser.on('error', (error) => this.send(421, `4.7.0 ${error.message}`))
    return parser
  }

  override _onClose() {
    this.#dueAt = Number.POSITIVE_INFINITY
    // One that came in whole is the desk's, whoever is left to hear the answer.
    if (this.#isReceiving) this.#message?.release()
    this.#isReceiving = false
    this.#port.sessions.delete(this)
    super._onClose()
  }

  checkTime(now: number) {
    if (now < this.#dueAt) return
    this.#dueAt = Number.POSITIVE_INFINITY
    this.send(421, '4.4.2 Too slow, closing the connection')
  }

  /** No new message from here on. One that has begun is taken. */
  leave() {
    this.#isLeaving = true
    if (!this.#message) this.#goAway()
  }

  cutOff() {
    this._socket.destroy()
  }

  /** Those of MAIL. */
  get #parameters(): Readonly<Record<string, unknown>> {
    const { mailFrom } = this.session.envelope
    return mailFrom ? mailFrom.args || {} : {}
  }

  get #mayLogIn() {
    return this.secure || this.#house.allowPlaintextAuth
  }

  #awaitCommand() {
    if (this.#message) return
    const { handshakeMs, commandMs } = this.#house.limits
    this.#dueAt = Math.min(performance.now() + (this._upgrading ? handshakeMs : commandMs), this.#endsAt)
  }

  #receive(parser: Parser, message: MessageBuffer) {
    const { silenceMs, dataMs } = this.#house.limits
    const endsAt = performance.now() + dataMs
    const moved = () => {
      this.#dueAt = Math.min(performance.now() + silenceMs, endsAt)
    }
    this.#message = message
    this.#isReceiving = true
    parser.readMessage({
      add: (content) => message.add(content),
      moved,
      end: (next) => {
        this.#dueAt = Number.POSITIVE_INFINITY
        this.#isReceiving = false
        this.#finish(message, next).catch((error) => this.#port.fail(error, this.session))
      },
    })
    this.send(354, 'End data with <CR><LF>.<CR><LF>')
    moved()
  }

  async #finish(message: MessageBuffer, next: () => void) {
    const answer = await this.#judge(message).finally(() => message.release())
    this.#message = null
    if (this._closed) return
    if (answer.kind === 'accepted') this.#accept(answer.message)
    else this.#refuse(answer)
    this._transactionCounter++
    this._unrecognizedCommands = 0
    this._resetSession()
    if (this.#isLeaving) return this.#goAway()
    this.#awaitCommand()
    this._whenWritable(next)
  }

  async #judge(message: MessageBuffer): Promise<SmtpAnswer> {
    if (message.shortcoming === 'too large') return { kind: 'refused', ...tooLarge(this.#house.maxMessageBytes) }
    if (message.shortcoming === 'header too large') return { kind: 'refused', ...headerTooLarge(this.#house.limits) }
    if (message.shortcoming === 'no room') return { kind: 'refused', ...NO_ROOM }
    const { underway } = this.#house
    const taking = this.#reception.take(message.whole(), this.session)
    underway.add(taking)
    return taking.finally(() => underway.delete(taking))
  }

  #accept(message: string) {
    this.#errors = 0
    this.send(250, replyText('2.0.0', message))
  }

  #refuse({ code, enhanced, message }: SmtpRefusal) {
    this.send(code, replyText(enhanced, message))
  }

  #goAway() {
    this.send(421, '4.3.2 Shutting down, try again later')
    setTimeout(() => this.cutOff(), GOODBYE_MS).unref()
  }
}
