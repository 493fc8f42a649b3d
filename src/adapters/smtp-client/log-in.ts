import { createHmac } from 'node:crypto'
import type { Host } from './destination.ts'
import { done, type Exchange, type Step, say } from './exchange.ts'
import { describeError, type Failure, nameOf, type SmtpError } from './failure.ts'
import { isPositive, type Reply } from './reply-reader.ts'

type Auth = NonNullable<Host['auth']>

interface Method {
  readonly name: string
  /** The command, and what to say to each `334` after it. */
  lines(auth: Auth): readonly [command: string, ...answers: ((challenge: string) => string)[]]
}

/** In the order in which we like them: the first needs one round trip. */
const METHODS: readonly Method[] = [
  { name: 'PLAIN', lines: ({ user, pass }) => [`AUTH PLAIN ${base64(`\0${user}\0${pass}`)}`] },
  { name: 'LOGIN', lines: ({ user, pass }) => ['AUTH LOGIN', () => base64(user), () => base64(pass)] },
  {
    name: 'CRAM-MD5',
    lines: ({ user, pass }) => [
      'AUTH CRAM-MD5',
      (challenge) =>
        base64(`${user} ${createHmac('md5', pass).update(Buffer.from(challenge, 'base64')).digest('hex')}`),
    ],
  },
]

/**
 * Null when the host let us in. Whatever it says, mail waits: a wrong password is the operator's slip and not the recipient's
 * fault. A way to log in that the server has not offered is not tried: the password would go to whoever did not ask for it.
 */
export class LogIn implements Exchange<Failure | null> {
  readonly #host: Host
  readonly #auth: Auth
  readonly #offered: readonly string[]
  /** Null: it offers none that we know. */
  readonly #command: string | null
  readonly #answers: ((challenge: string) => string)[]

  constructor(host: Host, auth: Auth, offered: readonly string[]) {
    this.#host = host
    this.#auth = auth
    this.#offered = offered
    const method = METHODS.find(({ name }) => offered.includes(name))
    const [command = null, ...answers] = method?.lines(auth) ?? []
    this.#command = command
    this.#answers = answers
  }

  begin(): Step<Failure | null> {
    return this.#command === null ? done(this.#notOffered()) : say(this.#command)
  }

  take(reply: Reply): Step<Failure | null> {
    const answer = reply.code === 334 ? this.#answers.shift() : undefined
    if (answer) return say(answer(reply.text.slice(4).trim()))
    const isWelcome = isPositive(reply) && this.#answers.length === 0
    return done(isWelcome ? null : this.#refused(reply.text, { isServers: true }))
  }

  lost(error: SmtpError): Failure {
    return this.#refused(error.response ?? describeError(error), { isServers: error.response !== undefined })
  }

  /** The method, and nothing that was said to prove who we are. */
  shown(line: string): string {
    const [, method, rest] = /^(AUTH \S+)( .+)?$/.exec(line) ?? []
    if (method !== undefined) return rest === undefined ? method : `${method} …`
    const [, code] = /^([2-5]\d\d)[ -]/.exec(line) ?? []
    if (code === undefined) return '…'
    return code === '334' ? '334 …' : withoutSecrets(line, this.#auth)
  }

  #refused(text: string, { isServers }: { isServers: boolean }): Failure {
    const safeText = withoutSecrets(text, this.#auth)
    return this.#failure(`refused the login: ${safeText}`, isServers ? safeText : null)
  }

  #notOffered(): Failure {
    const ours = METHODS.map(({ name }) => name).join(', ')
    const theirs = this.#offered.length > 0 ? `it offers ${this.#offered.join(', ')}` : 'it offers no AUTH'
    return this.#failure(`offers no supported login: ${theirs}, supported are ${ours}`, null)
  }

  #failure(what: string, serverReply: string | null): Failure {
    const reply = `454 4.7.0 ${nameOf(this.#host)} ${what}`
    return { kind: 'failed', host: this.#host.host, at: 'login', reply, serverReply }
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Servers have been seen to repeat what they were sent. */
function withoutSecrets(text: string, { user, pass }: Auth): string {
  const secrets = [`\0${user}\0${pass}`, pass].flatMap((secret) => [base64(secret), secret])
  return secrets.filter((secret) => secret !== '').reduce((clean, secret) => clean.replaceAll(secret, '…'), text)
}
