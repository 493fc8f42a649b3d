import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerAuthenticationResponse,
  type SMTPServerSession,
} from 'smtp-server'
import type { SMTPConnectionOptions, TLSError } from 'smtp-server/lib/smtp-connection.js'
import type { Certificate } from '../certificate.ts'
import { isRefusal, type SmtpRefusal } from './desk.ts'
import type { House } from './house.ts'
import { Reception } from './reception.ts'
import { refusalError } from './reply.ts'
import { Session } from './session.ts'

export interface PortOptions<User> {
  readonly house: House<User>
  readonly certificate: () => Certificate
  readonly tls: 'starttls' | 'implicit'
}

/** A port that is listened on. Lets clients in, and connects the library's callbacks with the reception. */
export class Port<User> extends SMTPServer {
  readonly house: House<User>
  readonly reception: Reception<User>
  readonly sessions = new Set<Session<User>>()
  readonly #certificate: () => Certificate
  #inUse: Certificate

  constructor({ house, certificate, tls }: PortOptions<User>) {
    const { hostname, limits, maxMessageBytes, allowPlaintextAuth } = house
    const inUse = certificate()
    super({
      name: hostname,
      heloResponse: '%s',
      secure: tls === 'implicit',
      key: inUse.key,
      cert: inUse.cert,
      minVersion: 'TLSv1.2',
      // Starting over inside a session is of use to nobody but those who want to keep us busy.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      size: maxMessageBytes,
      maxRecipients: limits.recipients,
      authMethods: ['PLAIN', 'LOGIN'],
      authOptional: true,
      allowInsecureAuth: allowPlaintextAuth,
      disabledCommands: ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'],
      hideENHANCEDSTATUSCODES: false,
      disableReverseLookup: true,
      // Envelope addresses are judged in envelope-address.ts: the library's rules leave out mailboxes that exist.
      lenientAddressParsing: true,
      socketTimeout: limits.handshakeMs,
      // Leaving is ours too.
      closeTimeout: 2 ** 31 - 1,
      logger: false,
    })
    this.house = house
    this.reception = new Reception(house)
    this.#certificate = certificate
    this.#inUse = inUse
    this.on('error', (error: Error) => house.log.debug({ error }, 'SMTP connection failed'))
  }

  /** Before each handshake: certificates are renewed while we run. */
  renewCertificate() {
    const current = this.#certificate()
    if (current === this.#inUse) return
    this.#inUse = current
    this.updateSecureContext({ key: current.key, cert: current.cert })
  }

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    const { admission, hostname, limits, log } = this.house
    if (!admission.admit(socket)) {
      log.debug({ client: socket.remoteAddress }, 'too many SMTP connections')
      socket.on('error', () => {})
      if (!handshake) socket.end(`421 ${hostname} Too many connections, try again later\r\n`)
      socket.destroySoon()
      return false
    }
    const release = super._acceptSocket(socket, handshake)
    if (!release || !handshake) return release
    // The library's own limit starts again with every byte of the handshake.
    const timer = setTimeout(() => this._pendingSockets.get(socket)?.destroy(), limits.handshakeMs)
    socket.once('close', () => clearTimeout(timer))
    return () => {
      clearTimeout(timer)
      release()
    }
  }

  override _upgrade(socket: Socket, callback: (error: TLSError | null, encrypted?: TLSSocket) => void) {
    // As in `Session.upgrade`; the library goes around the event loop once between the two.
    if (socket.destroyed) return callback(new Error('closed before the handshake'))
    this.renewCertificate()
    super._upgrade(socket, callback)
  }

  override connect(socket: Socket, options?: SMTPConnectionOptions | null) {
    if (socket.destroyed || this._closeTimeout) return void socket.destroy()
    const session = new Session(this, socket, options)
    this.connections.add(session)
    this.sessions.add(session)
    session.on('error', (error: Error) => this._onError(error))
    session.init()
  }

  override onAuth(
    auth: SMTPServerAuthentication,
    session: SMTPServerSession,
    callback: (error: Error | null | undefined, response?: SMTPServerAuthenticationResponse) => void,
  ) {
    this.reception
      .logIn(auth, session)
      .then((result) => (isRefusal(result) ? callback(refusalError(result)) : callback(null, { user: result })))
      .catch((error) => this.fail(error, session))
  }

  override onMailFrom(sender: SMTPServerAddress, session: SMTPServerSession, callback: (error?: Error | null) => void) {
    this.#answer(session, this.reception.checkSender(sender, session), callback)
  }

  override onRcptTo(
    recipient: SMTPServerAddress,
    session: SMTPServerSession,
    callback: (error?: Error | null) => void,
  ) {
    this.#answer(session, this.reception.checkRecipient(recipient, session), callback)
  }

  /** A defect of ours or of the library, in one session: the others do not notice. */
  fail(error: unknown, failed: SMTPServerSession) {
    this.house.log.error({ error, session: failed.id }, 'SMTP session broke off')
    for (const session of this.sessions) if (session.session === failed) session.cutOff()
  }

  open(place: { host: string; port: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject)
      this.listen(place, () => {
        this.server.off('error', reject)
        resolve()
      })
    })
  }

  /** Stops listening; resolves when the last client is gone. */
  async shut(): Promise<void> {
    if (!this.server.listening) return
    const closed = new Promise<void>((resolve) => this.server.once('close', resolve))
    this.close()
    await closed
  }

  #answer(session: SMTPServerSession, asked: Promise<SmtpRefusal | null>, callback: (error?: Error | null) => void) {
    asked.then((refusal) => callback(refusal && refusalError(refusal))).catch((error) => this.fail(error, session))
  }
}
