import type { Host } from './destination.ts'
import { done, type Exchange, type Step, say } from './exchange.ts'
import { type Extensions, NO_EXTENSIONS, parseExtensions } from './extensions.ts'
import { type Failure, failure, type SmtpError } from './failure.ts'
import { isPositive, type Reply } from './reply-reader.ts'

export interface SetupOptions {
  /** What we call ourselves. */
  readonly heloName: string
  /** STARTTLS where it is offered. */
  readonly useTls: boolean
  /** For the greeting, and again for the TLS handshake. */
  readonly greetingMs: number
}

/**
 * Greeting, EHLO (or HELO, for a server that knows no other), STARTTLS, and EHLO once more: what was offered before TLS could be
 * anybody's words.
 */
export class Setup implements Exchange<Extensions | Failure> {
  readonly #host: Host
  readonly #options: SetupOptions
  #stage: 'greeting' | 'EHLO' | 'HELO' | 'STARTTLS' | 'handshake' = 'greeting'
  #isUpgraded = false

  constructor(host: Host, options: SetupOptions) {
    this.#host = host
    this.#options = options
  }

  begin(): Step<Extensions | Failure> {
    return this.#host.secure ? this.#encrypt(() => this.#listen()) : this.#listen()
  }

  take(reply: Reply): Step<Extensions | Failure> {
    switch (this.#stage) {
      case 'greeting':
        return reply.code === 220 ? this.#ask('EHLO') : this.#refused('greeting', reply)
      case 'EHLO':
        return isPositive(reply) ? this.#choose(parseExtensions(reply)) : this.#askAgain(reply)
      case 'HELO':
        return isPositive(reply) ? done(NO_EXTENSIONS) : this.#refused('greeting', reply)
      case 'STARTTLS':
        return isPositive(reply) ? this.#upgrade() : this.#refused('tls', reply)
      case 'handshake':
        return this.#refused('tls', reply)
    }
  }

  /** From the answer to STARTTLS to the second EHLO, everything that goes wrong without a reply is TLS going wrong. */
  lost(error: SmtpError): Failure {
    const isTls = this.#stage === 'handshake' || (this.#isUpgraded && error.response === undefined)
    return failure(this.#host, isTls ? 'tls' : 'greeting', error)
  }

  #listen(): Step<Extensions | Failure> {
    this.#stage = 'greeting'
    return { kind: 'listen', withinMs: this.#options.greetingMs }
  }

  #ask(verb: 'EHLO' | 'HELO'): Step<Extensions | Failure> {
    this.#stage = verb
    return say(`${verb} ${this.#options.heloName.replace(/[\r\n]+/g, '')}`)
  }

  #askAgain(reply: Reply): Step<Extensions | Failure> {
    return reply.code === 421 ? this.#refused('greeting', reply) : this.#ask('HELO')
  }

  #choose(extensions: Extensions): Step<Extensions | Failure> {
    const isEncrypted = this.#host.secure || this.#isUpgraded
    if (isEncrypted || !this.#options.useTls || !extensions.hasStartTls) return done(extensions)
    this.#stage = 'STARTTLS'
    return say('STARTTLS')
  }

  #upgrade(): Step<Extensions | Failure> {
    return this.#encrypt(() => {
      this.#isUpgraded = true
      return this.#ask('EHLO')
    })
  }

  #encrypt(then: () => Step<Extensions | Failure>): Step<Extensions | Failure> {
    this.#stage = 'handshake'
    return { kind: 'encrypt', withinMs: this.#options.greetingMs, then }
  }

  #refused(at: Failure['at'], { text }: Reply): Step<Extensions | Failure> {
    return done(failure(this.#host, at, { response: text }), { isEnd: true })
  }
}
