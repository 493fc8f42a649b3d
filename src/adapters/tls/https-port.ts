import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import type { Log } from '../../platform/observability/log.ts'
import type { Certificate } from './certificate.ts'

export interface HttpsPortOptions {
  readonly log: Log
  /** Whoever names no host, or one that has no certificate, sees this one. */
  fallback(): Certificate
  certificateFor(name: string): Promise<Certificate | null>
  /** What is shown to an authority that asks whether a name is ours. */
  challengeFor(name: string): Promise<Certificate | null>
  /** Takes a connection, as if it had come in the open. */
  take(socket: TLSSocket): void
}

/** For a client to say hello, and for the handshake. */
const HANDSHAKE_MS = 10_000
/** Handshakes that are not over. Each holds some kilobytes. */
const MAX_HANDSHAKES = 1_000
const ACME_PROTOCOL = 'acme-tls/1'
/** As a protocol is named in a hello: its length, then its name. Nobody else says so. */
const ACME_HELLO = Buffer.concat([Buffer.from([ACME_PROTOCOL.length]), Buffer.from(ACME_PROTOCOL)])

/** A port on which HTTP is spoken over TLS, with the certificate of the host that is asked for. */
export class HttpsPort {
  readonly #options: HttpsPortOptions
  readonly #server: Server
  readonly #handshaking = new Set<Socket>()
  readonly #contexts = new WeakMap<Certificate, SecureContext>()

  constructor(options: HttpsPortOptions) {
    this.#options = options
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  open(place: { host: string; port: number; backlog?: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(place, () => {
        this.#server.off('error', reject)
        this.#server.on('error', (error) => this.#options.log.debug({ error }, 'http: connection failed'))
        resolve()
      })
    })
  }

  /** No new connections. Those that were handed on are their taker's. */
  close() {
    this.#server.close()
    for (const socket of this.#handshaking) socket.destroy()
  }

  #accept(socket: Socket) {
    if (this.#handshaking.size >= MAX_HANDSHAKES) this.#evictOldest()
    this.#handshaking.add(socket)
    const deadline = setTimeout(() => socket.destroy(), HANDSHAKE_MS)
    const finish = () => {
      clearTimeout(deadline)
      this.#handshaking.delete(socket)
    }
    socket.on('error', (error) => this.#options.log.debug({ error }, 'http: connection failed')).once('close', finish)
    // An authority says what it wants in its first packet, and must not be shown what others are: nor they what it is.
    socket.once('data', (hello) => {
      socket.pause()
      socket.unshift(hello)
      this.#encrypt(socket, { isChallenge: hello.includes(ACME_HELLO), finish })
    })
  }

  /** Nobody keeps others out by never ending a handshake. */
  #evictOldest() {
    const [oldest] = this.#handshaking
    if (!oldest) return
    this.#handshaking.delete(oldest)
    oldest.destroy()
  }

  #encrypt(plain: Socket, { isChallenge, finish }: { isChallenge: boolean; finish: () => void }) {
    // A TLS socket around one that is gone takes the whole process with it (SIGSEGV, Node 20).
    if (!plain.writable) return void plain.destroy()
    const { fallback, take, log } = this.#options
    const socket = new TLSSocket(plain, {
      isServer: true,
      secureContext: this.#contextOf(fallback()),
      ALPNProtocols: [isChallenge ? ACME_PROTOCOL : 'http/1.1'],
      SNICallback: (name, done) => {
        this.#find(name, isChallenge).then(
          (context) => done(null, context),
          (error) => done(error),
        )
      },
    })
    socket.on('error', (error) => log.debug({ error }, 'http: handshake failed')).once('close', finish)
    socket.once('secure', () => {
      finish()
      // What it wanted to know was in the handshake.
      if (isChallenge) return void socket.end()
      take(socket)
    })
  }

  async #find(name: string, isChallenge: boolean): Promise<SecureContext | undefined> {
    const { certificateFor, challengeFor } = this.#options
    const found = await (isChallenge ? challengeFor(name) : certificateFor(name))
    if (isChallenge && !found) throw new Error('nobody was asked to show this name')
    return found ? this.#contextOf(found) : undefined
  }

  #contextOf(certificate: Certificate): SecureContext {
    const known = this.#contexts.get(certificate)
    if (known) return known
    const context = createSecureContext({ ...certificate, ca: [], minVersion: 'TLSv1.2', honorCipherOrder: true })
    this.#contexts.set(certificate, context)
    return context
  }
}
