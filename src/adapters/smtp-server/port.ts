import { constants } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Certificate } from '../tls/certificate.ts'
import { Connection } from './connection.ts'
import type { ListenerContext } from './context.ts'
import { remoteAddressOf } from './proxies.ts'

export interface PortOptions<User> {
  readonly context: ListenerContext<User>
  readonly certificate: () => Certificate
  readonly certificateFor?: ((name: string) => Promise<Certificate | null>) | undefined
  readonly tls: 'starttls' | 'implicit'
}

/** A port that is listened on. Lets clients in. */
export class Port<User> {
  readonly context: ListenerContext<User>
  readonly tls: 'starttls' | 'implicit'
  readonly connections = new Set<Connection<User>>()
  readonly #server: Server
  readonly #certificate: () => Certificate
  readonly #certificateFor: (name: string) => Promise<Certificate | null>
  readonly #contexts = new WeakMap<Certificate, SecureContext>()
  #inUse: { readonly certificate: Certificate; readonly context: SecureContext }

  constructor({ context, certificate, certificateFor = async () => null, tls }: PortOptions<User>) {
    this.context = context
    this.tls = tls
    this.#certificate = certificate
    this.#certificateFor = certificateFor
    this.#inUse = load(certificate())
    // Without noDelay a reply waits until the one before it is acknowledged, which some do after 40 ms.
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket))
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo
  }

  /** Asked before each handshake: certificates are renewed while we run. */
  secureContext(): SecureContext {
    const current = this.#certificate()
    if (current !== this.#inUse.certificate) this.#inUse = load(current)
    return this.#inUse.context
  }

  /** Undefined: the client sees the certificate that all others do. */
  async contextFor(name: string): Promise<SecureContext | undefined> {
    const certificate = await this.#certificateFor(name)
    if (!certificate) return undefined
    const known = this.#contexts.get(certificate) ?? load(certificate).context
    this.#contexts.set(certificate, known)
    return known
  }

  open(place: { host: string; port: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(place, () => {
        this.#server.off('error', reject)
        this.#server.on('error', (error) => this.context.log.debug({ error }, 'smtp: connection failed'))
        resolve()
      })
    })
  }

  /** Stops listening; resolves when the last client is gone. */
  async shut(): Promise<void> {
    if (!this.#server.listening) return
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #accept(socket: Socket) {
    const { proxies } = this.context
    if (!proxies.isTrusted(socket)) return this.#admit(socket, remoteAddressOf(socket))
    socket.on('error', (error) => this.context.log.debug({ error }, 'smtp: connection failed'))
    void proxies.clientOf(socket).then((address) => {
      if (address !== null) this.#admit(socket, address)
    })
  }

  #admit(socket: Socket, address: string) {
    const { admission, hostname, log } = this.context
    if (socket.destroyed || !this.#server.listening) return void socket.destroy()
    if (!admission.admit(socket, address)) {
      log.debug({ client: address }, 'smtp: connection refused, too many are open')
      socket.on('error', () => {})
      if (this.tls === 'starttls') socket.end(`421 ${hostname} Too many connections, try again later\r\n`)
      return socket.destroySoon()
    }
    const connection = new Connection(this, { socket, address }, this.tls === 'implicit')
    this.connections.add(connection)
    void connection.start(this.tls)
  }
}

const load = (certificate: Certificate) => ({
  certificate,
  context: createSecureContext({
    key: certificate.key,
    cert: certificate.cert,
    // Clients show no certificates, so there is nobody to trust. Without this all authorities are parsed at the start.
    ca: [],
    minVersion: 'TLSv1.2',
    honorCipherOrder: true,
    // Clients come back to the session that they had, whichever connection it was.
    sessionIdContext: 'postwren-smtp',
    // Starting over inside a session is of use to nobody but those who want to keep us busy.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }),
})
