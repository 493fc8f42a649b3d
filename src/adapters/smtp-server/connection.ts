import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { Deadline } from './deadline.ts'
import type { Port } from './port.ts'
import { ServerSession, type Transport } from './session.ts'

/** How long somebody who was told to go may take to hang up; and how long while the listener stops. */
const GOODBYE_MS = 5_000
const STOPPING_GOODBYE_MS = 500
/** In the first one the socket is not read yet. */
const TURNS_BEFORE_GREETING = 3

/** One client's connection: the socket, TLS, and the time that things may take. What is said over it is the session's. */
export class Connection<User> implements Transport {
  readonly id = randomBytes(10).toString('hex')
  /** Of the client, also behind a proxy. */
  readonly address: string
  readonly deadline: Deadline
  readonly #port: Port<User>
  readonly #session: ServerSession<User>
  /** The one on top. Never destroy the one below a TLS socket: a handshake that loses it so takes the process along. */
  #socket: Socket
  #isHandshaking = false
  #isStopping = false
  #goodbye: NodeJS.Timeout | undefined

  constructor(port: Port<User>, { socket, address }: { socket: Socket; address: string }, isEncrypted: boolean) {
    this.#port = port
    this.#socket = socket
    this.address = address
    this.deadline = new Deadline(port.context.limits)
    this.#session = new ServerSession(port.context, this, isEncrypted)
    this.#watch(socket)
  }

  /**
   * Greets at once: in 0.6 ms. Programs that never wait for the greeting have their words in the packets right behind the handshake
   * of TCP, and three turns of the event loop find them there: 200 of 200 from another process on the same machine. Who waits a
   * little and then talks is missed; waiting for them for 100 ms would cap a client with one message a connection at 10 a second.
   */
  async start(tls: 'starttls' | 'implicit') {
    try {
      if (tls === 'starttls') this.#listen()
      else if (!(await this.encrypt())) return
      this.deadline.awaitCommand()
      for (let turn = 0; turn < TURNS_BEFORE_GREETING; turn++) await nextTurn()
      await this.#session.greet()
    } catch (error) {
      this.#fail(error)
    }
  }

  write(text: string): Promise<void> | void {
    const socket = this.#socket
    if (this.#isHandshaking || !socket.writable || socket.write(text)) return
    return new Promise((resolve) => {
      const done = () => {
        socket.off('drain', done).off('close', done)
        resolve()
      }
      socket.on('drain', done).on('close', done)
    })
  }

  async encrypt(): Promise<boolean> {
    const plain = this.#socket
    plain.unpipe()
    this.deadline.awaitHandshake()
    // What is still to be written would end up between the records.
    if (plain.writableLength > 0) await new Promise<void>((resolve) => plain.write('', () => resolve()))
    // A TLS socket around one that is gone takes the whole process with it (SIGSEGV, Node 20).
    if (!plain.writable) return false
    const encrypted = new TLSSocket(plain, {
      isServer: true,
      secureContext: this.#port.secureContext(),
      SNICallback: (name, done) => {
        this.#port.contextFor(name).then((context) => done(null, context), done)
      },
    })
    this.#socket = encrypted
    this.#isHandshaking = true
    this.#watch(encrypted)
    const isDone = await new Promise<boolean>((resolve) => {
      encrypted.once('secure', () => resolve(true)).once('close', () => resolve(false))
    })
    this.#isHandshaking = false
    if (isDone) this.#listen()
    return isDone && !encrypted.destroyed
  }

  close() {
    const socket = this.#socket
    if (this.#isHandshaking) return this.cutOff()
    // What still comes is thrown away: in a socket that nobody reads, nobody sees the end.
    socket.unpipe()
    socket.resume()
    socket.end()
    this.#goodbye = setTimeout(() => this.cutOff(), this.#isStopping ? STOPPING_GOODBYE_MS : GOODBYE_MS).unref()
  }

  checkTime(now: number) {
    if (!this.deadline.isOver(now)) return
    this.deadline.suspend()
    if (this.#isHandshaking) this.cutOff()
    else this.#session.timeOut()
  }

  /** The listener stops: no new message. One that has begun is taken. */
  leave() {
    this.#isStopping = true
    if (this.#isHandshaking) this.cutOff()
    else this.#session.leave()
  }

  cutOff() {
    this.#socket.destroy()
  }

  #listen() {
    const { parser } = this.#session
    parser.on('error', (error) => this.#fail(error))
    this.#socket.pipe(parser)
  }

  #watch(socket: Socket) {
    socket.on('error', (error) => this.#port.context.log.debug({ error }, 'smtp: connection failed'))
    socket.on('close', () => {
      if (socket === this.#socket) this.#end()
    })
  }

  #end() {
    clearTimeout(this.#goodbye)
    this.deadline.suspend()
    this.#session.end()
    this.#port.connections.delete(this)
  }

  /** A defect of ours, in one session: the others do not notice. */
  #fail(error: unknown) {
    this.#port.context.log.error({ error, session: this.id }, 'smtp: session failed')
    this.cutOff()
  }
}
