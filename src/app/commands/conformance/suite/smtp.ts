import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { connect as connectTls } from 'node:tls'

export interface MailServer {
  readonly host: string
  readonly port: number
}

export interface Envelope {
  readonly from: string
  readonly to: string
  readonly message: string
}

/** Another answer than was asked for. */
export class Refused extends Error {
  readonly reply: string

  constructor(reply: string) {
    super(`the mail server says: ${reply.slice(0, 200)}`)
    this.reply = reply
  }
}

/** Hands a message to a mail server, as another one would: no login, no encryption. */
export const handOver = (server: MailServer, envelope: Envelope, timeoutMs: number): Promise<void> =>
  converse(server, timeoutMs, async (conversation) => {
    await conversation.greet()
    await conversation.send(envelope)
  })

/** A conversation with a mail server, from its first line to QUIT. */
export async function converse(
  { host, port }: MailServer,
  timeoutMs: number,
  run: (conversation: Conversation) => Promise<void>,
): Promise<void> {
  const socket = connect({ host, port })
  const conversation = new Conversation(socket, { host, timeoutMs })
  try {
    await conversation.expect('220')
    await run(conversation)
    conversation.quit()
  } finally {
    conversation.close()
  }
}

export class Conversation {
  readonly #host: string
  readonly #timeoutMs: number
  #socket: Socket
  #replies: AsyncGenerator<string, undefined>
  #isEncrypted = false

  constructor(socket: Socket, { host, timeoutMs }: { readonly host: string; readonly timeoutMs: number }) {
    this.#host = host
    this.#timeoutMs = timeoutMs
    this.#socket = this.#limited(socket)
    this.#replies = repliesOf(socket)
  }

  get isEncrypted(): boolean {
    return this.#isEncrypted
  }

  /** What it can do. */
  greet(): Promise<string> {
    return this.say('EHLO conformance.invalid', '250')
  }

  async say(line: string, code: string): Promise<string> {
    this.#socket.write(`${line}\r\n`)
    return this.expect(code)
  }

  async expect(code: string): Promise<string> {
    const { value } = await this.#replies.next()
    if (!value?.startsWith(code)) throw new Refused(String(value ?? 'nothing'))
    return value
  }

  /** `isLocal`: its certificate is nobody's, as that of a server that is tried is. */
  async encrypt({ isLocal }: { readonly isLocal: boolean }) {
    await this.say('STARTTLS', '220')
    await this.#replies.return(undefined)
    this.#socket.removeAllListeners()
    const name = { host: this.#host, servername: this.#host }
    const secure = connectTls({ socket: this.#socket, ...name, rejectUnauthorized: !isLocal })
    this.#socket = this.#limited(secure)
    this.#replies = repliesOf(secure)
    this.#isEncrypted = true
  }

  login(user: string, password: string): Promise<string> {
    return this.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`, '235')
  }

  async send({ from, to, message }: Envelope) {
    await this.say(`MAIL FROM:<${from}>`, '250')
    await this.say(`RCPT TO:<${to}>`, '250')
    await this.say('DATA', '354')
    await this.say(`${message.replace(/^\./gm, '..')}\r\n.`, '250')
  }

  quit() {
    this.#socket.write('QUIT\r\n')
  }

  close() {
    this.#socket.destroy()
  }

  #limited(socket: Socket): Socket {
    const ms = this.#timeoutMs
    return socket.setTimeout(ms, () => socket.destroy(new Error(`no answer within ${ms / 1_000} s`)))
  }
}

/** Each with all of its lines. */
async function* repliesOf(socket: Socket): AsyncGenerator<string, undefined> {
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  let reply = ''
  for await (const line of lines) {
    reply += reply === '' ? line : `\n${line}`
    if (/^\d{3}-/.test(line)) continue
    yield reply
    reply = ''
  }
  return undefined
}
