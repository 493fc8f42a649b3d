import { setTimeout as wait } from 'node:timers/promises'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import type { Log } from '../../platform/observability/log.ts'
import { RepeatedErrors } from '../../platform/observability/repeated-errors.ts'
import type { Certificate } from '../tls/certificate.ts'
import { Admission } from './admission.ts'
import type { ListenerContext } from './context.ts'
import type { SmtpHandler } from './handler.ts'
import { LIMITS, type Limits } from './limits.ts'
import { Port } from './port.ts'
import { Proxies } from './proxies.ts'

export interface SmtpListenerOptions<User> {
  readonly handler: SmtpHandler<User>
  readonly log: Log
  readonly host: string
  readonly ports: readonly { readonly port: number; readonly tls: 'starttls' | 'implicit' }[]
  /** Asked before each handshake. */
  readonly certificate: () => Certificate
  /** The certificate of a name that a client asks for. Null, or unset: that of all others. */
  readonly certificateFor?: (name: string) => Promise<Certificate | null>
  /** What we call ourselves. */
  readonly hostname: string
  /** Whether passwords may cross the network for everybody to read. */
  readonly allowPlaintextAuth: boolean
  /** Unless it is, only ports with TLS from the first byte are encrypted. */
  readonly offersStartTls: boolean
  readonly maxMessageBytes: number
  /** Addresses and networks of proxies that say in a PROXY header whom a connection is for. */
  readonly proxies?: readonly string[]
  readonly limits?: Partial<Limits>
}

export interface SmtpAddress {
  readonly host: string
  readonly port: number
  readonly tls: 'starttls' | 'implicit'
}

/**
 * Of each client (IPv6: of each /64), over all its sessions. One with an old password that tries once a minute never comes to the end of
 * this, and one that guesses has six tries a minute, however many sessions it opens.
 */
const FAILED_LOGINS = { limit: 30, periodMs: 300_000 }

/**
 * Takes mail in over SMTP, on any number of ports, and hands it to the handler.
 *
 * A port lets clients in, as many as `Admission` allows; for those behind a proxy `Proxies` says who they are. Each has a connection (socket, TLS, time) and over it a session, whose
 * every word is decided by a pure function (dialogue.ts). What only the handler can know the session asks through `PolicyCalls`. A
 * message goes from the parser through `DataReader` into a `MessageBuffer`, and from there to the handler as one piece.
 */
export class SmtpListener<User> {
  readonly #options: SmtpListenerOptions<User>
  readonly #context: ListenerContext<User>
  #ports: Port<User>[] = []
  #clock: NodeJS.Timeout | undefined
  #stopped: Promise<void> | null = null

  constructor(options: SmtpListenerOptions<User>) {
    const { handler, log, hostname, allowPlaintextAuth, offersStartTls, maxMessageBytes } = options
    const limits = { ...LIMITS, ...options.limits }
    this.#options = options
    const memory = new Semaphore(Math.max(limits.memoryBytes, maxMessageBytes))
    this.#context = {
      ...{ handler, log, hostname, allowPlaintextAuth, offersStartTls, maxMessageBytes, limits, memory },
      handlerErrors: new RepeatedErrors(log, 'smtp: session failed'),
      checksSenders: handler.checkSender !== undefined,
      get freeBytes() {
        return memory.free
      },
      admission: new Admission(limits),
      proxies: new Proxies(options.proxies ?? [], limits, log),
      failedLogins: new TokenBuckets(FAILED_LOGINS),
      underway: new Set(),
    }
  }

  /** Listens on all ports; or on none, and throws. */
  async start(): Promise<void> {
    const { certificate, certificateFor, host, ports } = this.#options
    const context = this.#context
    const opened = ports.map(({ tls }) => new Port({ context, certificate, certificateFor, tls }))
    const results = await Promise.allSettled(opened.map((port, index) => port.open({ host, port: ports[index]!.port })))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) {
      await Promise.all(opened.map((port) => port.shut()))
      throw failed.reason
    }
    this.#ports = opened
    const { commandMs, handshakeMs, silenceMs, dataMs, sessionMs } = context.limits
    const tickMs = Math.min(1_000, ...[commandMs, handshakeMs, silenceMs, dataMs, sessionMs].map((ms) => ms / 4))
    this.#clock = setInterval(() => this.#checkTime(), tickMs).unref()
  }

  /** In the order of the ports that were asked for. */
  get addresses(): readonly SmtpAddress[] {
    return this.#ports.map(({ address, tls }) => ({ host: address.address, port: address.port, tls }))
  }

  /** For metrics. */
  get load(): { readonly sessions: number; readonly messageBytes: number } {
    return { sessions: this.#context.admission.size, messageBytes: this.#context.memory.used }
  }

  /**
   * No new connections; who has no message under way is told to go; who has one gets its answer and is told then. What is left
   * after the grace period is cut off: its sender has no answer and tries again.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs)
    return this.#stopped
  }

  async #stop(graceMs: number): Promise<void> {
    const closed = Promise.all(this.#ports.map((port) => port.shut()))
    this.#context.proxies.close()
    for (const connection of this.#connections()) connection.leave()
    const patience = new AbortController()
    const graceIsOver = wait(graceMs, undefined, { signal: patience.signal }).catch(() => {})
    await Promise.race([closed.then(() => this.#settled()), graceIsOver])
    patience.abort()
    for (const connection of this.#connections()) connection.cutOff()
    await closed
    clearInterval(this.#clock)
  }

  /** Messages whose sender has hung up are with the handler all the same. */
  async #settled() {
    while (this.#context.underway.size > 0) await Promise.allSettled(this.#context.underway)
  }

  *#connections() {
    for (const port of this.#ports) yield* port.connections
  }

  #checkTime() {
    const now = performance.now()
    for (const connection of this.#connections()) connection.checkTime(now)
  }
}
