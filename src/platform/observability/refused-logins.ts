import type { Log } from './log.ts'
import type { LoginProtocol, LoginReason, Metrics } from './metrics.ts'

/** Lines a second, for each protocol: a flood of guesses is counted, and must not fill the disk. */
const LINES_PER_SECOND = 10
const WINDOW_MS = 1_000

/** `re_` and eight characters, as the dashboard shows keys. What does not look like a key of ours may be anybody's password. */
const KEY_PREFIX = /^re_[\w-]{8}(?=[\w-]{8})/

export interface RefusedLogin {
  readonly reason: LoginReason
  /** Where it came from. */
  readonly address: string
  /** What was given as a key. Its beginning is kept, if it looks like one. */
  readonly token?: string | undefined
}

/** Counts those who come without a valid key, and writes down those who came with one that is not. */
export class RefusedLogins {
  readonly #protocol: LoginProtocol
  readonly #log: Log
  readonly #metrics: Metrics
  #lines = 0
  #window: NodeJS.Timeout | undefined

  constructor(protocol: LoginProtocol, { log, metrics }: { log: Log; metrics: Metrics }) {
    this.#protocol = protocol
    this.#log = log
    this.#metrics = metrics
  }

  note({ reason, address, token }: RefusedLogin) {
    this.#metrics.countRefusedLogin(this.#protocol, reason)
    // Whoever brings no key has not tried one: that is every crawler.
    if (reason === 'missing') return
    this.#window ??= setTimeout(() => this.#endWindow(), WINDOW_MS).unref()
    if (++this.#lines > LINES_PER_SECOND) return
    const key = KEY_PREFIX.exec(token ?? '')?.[0]
    this.#log.info({ door: this.#protocol, reason, address, key }, `${this.#protocol}: login refused`)
  }

  #endWindow() {
    const suppressed = this.#lines - LINES_PER_SECOND
    this.#lines = 0
    this.#window = undefined
    if (suppressed > 0)
      this.#log.warn(
        { door: this.#protocol, logins: suppressed },
        `${this.#protocol}: more logins refused within a second`,
      )
  }
}
