import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { Line } from './mail-line.ts'

// From the checkout's folder, where all programs of it run: bundled for `npm run simulate`, this file is elsewhere.
const fixture = (name: string) => readFileSync(join('test/fixtures/tls', name), 'utf8')

/** For `mail.test` and 127.0.0.1. Who wants to trust the server trusts this. */
export const CERTIFICATE = fixture('certificate.pem')
export const PRIVATE_KEY = fixture('key.pem')

/** Where in the dialogue the server is. `MESSAGE` is the moment after the final dot. */
export type MailStep =
  | 'CONNECT'
  | 'EHLO'
  | 'HELO'
  | 'STARTTLS'
  | 'AUTH'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'MESSAGE'
  | 'RSET'
  | 'QUIT'

export interface Moment {
  readonly step: MailStep | (string & {})
  /** The command as it came. */
  readonly line: string
  /** 1 is the first connection that the server ever had. */
  readonly connection: number
  /** How many messages this connection has brought so far. */
  readonly messages: number
  /** How often the server has been at this step, over all connections, this time included. */
  readonly count: number
  readonly isTls: boolean
  /** Whether the next command has come already. */
  readonly hasMore: boolean
}

/** A reply, without the line end; or any mixture of bytes as they are, slowness and hanging up. */
export type Reaction = string | { readonly bytes?: string | Buffer; readonly byteMs?: number; readonly drop?: boolean }

export const hangUp: Reaction = { drop: true }
export const silence: Reaction = {}
export const thenHangUp = (reply: string): Reaction => ({ bytes: `${reply}\r\n`, drop: true })
export const byteByByte = (reply: string, byteMs = 1): Reaction => ({ bytes: `${reply}\r\n`, byteMs })

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** The parameters of MAIL, as they came: `SIZE=100 SMTPUTF8`. */
  readonly parameters: string
  readonly bytes: Buffer
  readonly connection: number
  readonly isTls: boolean
  readonly user: string | null
}

export interface MailServerOptions {
  /** What to do at a step. Undefined: what a good server does. */
  readonly react?: (moment: Moment) => Reaction | undefined
  readonly extensions?: readonly string[]
  /** Offers STARTTLS. `broken`: says yes and then something that is not TLS. `silent`: says yes and then nothing. */
  readonly tls?: 'good' | 'broken' | 'silent'
  /** Of STARTTLS; the one of `mail.test` otherwise. */
  readonly certificate?: { readonly key: string; readonly cert: string }
  /** TLS from the first byte. */
  readonly secure?: boolean
  readonly auth?: { readonly user: string; readonly pass: string }
}

/** What all conversations of one server share. */
export interface Records {
  readonly options: MailServerOptions
  readonly react: NonNullable<MailServerOptions['react']>
  readonly messages: ReceivedMail[]
  readonly seen: ReceivedMail[]
  readonly commands: string[]
  readonly violations: string[]
  readonly counts: Map<string, number>
  /** How many commands came together with the next. */
  together: number
  /** Something has happened. */
  notice(): void
}

/** The server's half of one connection. */
export class Conversation {
  readonly #records: Records
  readonly #plain: Socket
  readonly #connection: number
  #line: Line
  #isTls: boolean
  #user: string | null = null
  #taken = 0
  #mail: { from: string; to: string[]; parameters: string } | null = null

  constructor(records: Records, plain: Socket, connection: number) {
    this.#records = records
    this.#plain = plain
    this.#connection = connection
    this.#isTls = records.options.secure === true
    this.#line = new Line(this.#isTls ? encrypt(plain) : plain)
  }

  async start() {
    await this.#say('CONNECT', '', '220 mail.test ESMTP')
    for (let text = await this.#line.read(); text !== null; text = await this.#line.read()) {
      this.#records.commands.push(text)
      if (this.#line.hasMore) this.#records.together++
      if (this.#line.hasMore && !this.#offers().includes('PIPELINING'))
        this.#records.violations.push(`${text} came together with the next command`)
      await this.#answer(text, text.split(' ', 1)[0]!.toUpperCase())
    }
  }

  #answer(text: string, verb: string): Promise<unknown> {
    const { options } = this.#records
    if (verb === 'EHLO') return this.#say(verb, text, listed(['mail.test', ...this.#offers()]))
    if (verb === 'HELO') return this.#say(verb, text, '250 mail.test')
    if (verb === 'STARTTLS' && options.tls) return this.#startTls(text, options.tls)
    if (verb === 'AUTH' && options.auth) return this.#logIn(text, options.auth)
    if (verb === 'MAIL') return this.#takeSender(text)
    if (verb === 'RCPT') return this.#takeRecipient(text)
    if (verb === 'DATA') return this.#takeMessage(text)
    if (verb === 'RSET') this.#mail = null
    if (verb === 'RSET') return this.#say(verb, text, '250 2.0.0 Ok')
    if (verb === 'QUIT') return this.#say(verb, text, '221 2.0.0 Bye').then(() => this.#line.socket.end())
    return this.#say(verb, text, '502 5.5.1 What?')
  }

  /** Whether what was said is a yes, and the talk goes on. */
  async #say(step: string, line: string, usual: string): Promise<boolean> {
    const { counts, react, notice } = this.#records
    const count = (counts.get(step) ?? 0) + 1
    counts.set(step, count)
    const [connection, messages, isTls] = [this.#connection, this.#taken, this.#isTls]
    const moment = { step, line, connection, messages, count, isTls, hasMore: this.#line.hasMore }
    const reaction = react(moment) ?? usual
    const { bytes = '', byteMs, drop } = typeof reaction === 'string' ? { bytes: `${reaction}\r\n` } : reaction
    if (byteMs === undefined) this.#line.socket.write(bytes)
    else for (const byte of Buffer.from(bytes)) await this.#line.writeSlowly(byte, byteMs)
    if (drop) this.#line.socket.end(() => this.#plain.destroySoon())
    notice()
    return !drop && /^[23]/.test(String(bytes))
  }

  #offers(): string[] {
    const { extensions, tls, auth } = this.#records.options
    return [
      ...(extensions ?? ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'SIZE 10485760']),
      ...(tls && !this.#isTls ? ['STARTTLS'] : []),
      ...(auth ? ['AUTH PLAIN LOGIN'] : []),
    ]
  }

  async #startTls(text: string, quality: 'good' | 'broken' | 'silent') {
    if (!(await this.#say('STARTTLS', text, '220 2.0.0 Ready'))) return
    if (quality === 'silent') return
    if (quality === 'broken') return void this.#plain.end('454 this is not a handshake\r\n')
    this.#line.stop()
    this.#line = new Line(encrypt(this.#plain, this.#records.options.certificate))
    this.#isTls = true
  }

  async #logIn(text: string, right: { user: string; pass: string }) {
    const [, method, initial = ''] = text.split(' ')
    const [user, pass] = method === 'PLAIN' ? decode(initial).split('\0').slice(1) : await this.#askForLogin(text)
    const isRight = user === right.user && pass === right.pass
    const isWelcome = await this.#say('AUTH', text, isRight ? '235 2.7.0 Welcome' : '535 5.7.8 Wrong')
    if (isWelcome && isRight) this.#user = user
  }

  async #askForLogin(text: string): Promise<string[]> {
    await this.#say('PROMPT', text, '334 VXNlcm5hbWU6')
    const user = decode((await this.#line.read()) ?? '')
    await this.#say('PROMPT', text, '334 UGFzc3dvcmQ6')
    return [user, decode((await this.#line.read()) ?? '')]
  }

  async #takeSender(text: string) {
    const [, from = '', parameters = ''] = /^MAIL FROM:<([^>]*)> ?(.*)$/i.exec(text) ?? []
    const isStranger = this.#records.options.auth && !this.#user
    const usual = this.#mail ? '503 5.5.1 One at a time' : isStranger ? '530 5.7.0 Log in first' : '250 2.1.0 Ok'
    if (await this.#say('MAIL', text, usual)) this.#mail = { from, to: [], parameters }
  }

  async #takeRecipient(text: string) {
    const isAccepted = await this.#say('RCPT', text, this.#mail ? '250 2.1.5 Ok' : '503 5.5.1 MAIL first')
    if (isAccepted) this.#mail?.to.push(/<([^>]*)>/.exec(text)?.[1] ?? '')
  }

  async #takeMessage(text: string) {
    const isReady = await this.#say('DATA', text, this.#mail?.to.length ? '354 Go on' : '554 5.5.1 No recipients')
    const bytes = isReady ? await this.#line.readMessage() : null
    if (!bytes || !this.#mail) return
    const { messages, seen, notice } = this.#records
    const mail = { ...this.#mail, bytes, connection: this.#connection, isTls: this.#isTls, user: this.#user }
    this.#mail = null
    seen.push(mail)
    notice()
    if (await this.#say('MESSAGE', '.', `250 2.0.0 Queued as ${messages.length + 1}`)) messages.push(mail)
    this.#taken++
    notice()
  }
}

const decode = (base64: string) => Buffer.from(base64, 'base64').toString()

const listed = (lines: readonly string[]) =>
  lines.map((line, index) => `250${index === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n')

function encrypt(plain: Socket, pair = { key: PRIVATE_KEY, cert: CERTIFICATE }): TLSSocket {
  const secureContext = createSecureContext(pair)
  const encrypted = new TLSSocket(plain, { isServer: true, secureContext })
  encrypted.on('error', () => plain.destroy())
  return encrypted
}
