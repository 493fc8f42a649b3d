import { setTimeout as wait } from 'node:timers/promises'
import type { SMTPServerAddress, SMTPServerAuthentication, SMTPServerSession } from 'smtp-server'
import { clientOf } from '../client-address.ts'
import { isRefusal, type SmtpAnswer, type SmtpPeer, type SmtpRefusal } from './desk.ts'
import { readEnvelopeAddress } from './envelope-address.ts'
import type { House } from './house.ts'
import { BAD_RECIPIENT, BAD_SENDER, LOCAL_ERROR, TOO_MANY_MESSAGES } from './reply.ts'

const LONGEST_LOGIN_DELAY_MS = 15_000
const TOO_MANY_LOGINS: SmtpRefusal = { code: 421, enhanced: '4.7.0', message: 'Too many failed logins' }
const TOO_MANY_FROM_ADDRESS: SmtpRefusal = {
  code: 421,
  enhanced: '4.7.0',
  message: 'Too many failed logins from your address, try again later',
}

/** Brings each step of a session to the desk and its word back. What the desk throws becomes 451, here and nowhere else. */
export class Reception<User> {
  readonly #house: House<User>
  readonly #failedLogins = new WeakMap<SMTPServerSession, number>()

  constructor(house: House<User>) {
    this.#house = house
  }

  /** Who fails waits for the answer, longer each time. Neither name nor password is logged: people mix them up. */
  async logIn(auth: SMTPServerAuthentication, session: SMTPServerSession): Promise<{ user: User } | SmtpRefusal> {
    const { desk, failedLogins, limits } = this.#house
    const client = clientOf(session.remoteAddress)
    if (!failedLogins.has(client)) return TOO_MANY_FROM_ADDRESS
    const credentials = { username: auth.username ?? '', password: auth.password ?? '' }
    const user = await this.#ask(session, () => desk.authenticate(credentials, peerOf(session)))
    if (!isRefusal(user)) return { user }
    if (user.code < 500) return user

    failedLogins.charge(client)
    const failures = (this.#failedLogins.get(session) ?? 0) + 1
    this.#failedLogins.set(session, failures)
    const delayMs = Math.min(limits.loginDelayMs * 2 ** (failures - 1), LONGEST_LOGIN_DELAY_MS)
    await wait(delayMs, undefined, { ref: false })
    return failures < limits.failedLogins ? user : TOO_MANY_LOGINS
  }

  async checkSender(sender: SMTPServerAddress, session: SMTPServerSession): Promise<SmtpRefusal | null> {
    const address = readEnvelopeAddress(sender.address)
    if (address === null) return BAD_SENDER
    sender.address = address
    if (session.transaction > this.#house.limits.messagesPerSession) return TOO_MANY_MESSAGES
    return this.#renewLogin(session)
  }

  async checkRecipient(recipient: SMTPServerAddress, session: SMTPServerSession): Promise<SmtpRefusal | null> {
    const address = readEnvelopeAddress(recipient.address)
    if (!address) return BAD_RECIPIENT
    recipient.address = address
    const about = { peer: peerOf(session), user: userOf<User>(session), from: senderOf(session) }
    return this.#ask(session, () => this.#house.desk.checkRecipient(address, about))
  }

  async take(raw: Buffer, session: SMTPServerSession): Promise<SmtpAnswer> {
    const refusal = await this.#renewLogin(session)
    if (refusal) return { kind: 'refused', ...refusal }
    const mail = {
      raw,
      from: senderOf(session),
      recipients: session.envelope.rcptTo.map(({ address }) => address),
      peer: peerOf(session),
      user: userOf<User>(session),
    }
    const answer = await this.#ask(session, () => this.#house.desk.take(mail))
    return 'kind' in answer ? answer : { kind: 'refused', ...answer }
  }

  /** Whoever may not log in any more is logged out: what follows in the session is a stranger's. */
  async #renewLogin(session: SMTPServerSession): Promise<SmtpRefusal | null> {
    const user = userOf<User>(session)
    if (user === null) return null
    const renewed = await this.#ask(session, () => this.#house.desk.renew(user))
    if (!isRefusal(renewed)) {
      session.user = { user: renewed }
      return null
    }
    if (renewed.code >= 500) session.user = false
    return renewed
  }

  async #ask<Answer>(session: SMTPServerSession, question: () => Promise<Answer>): Promise<Answer | SmtpRefusal> {
    try {
      return await question()
    } catch (error) {
      this.#house.log.error({ error, session: session.id, client: session.remoteAddress }, 'SMTP session failed')
      return LOCAL_ERROR
    }
  }
}

const peerOf = (session: SMTPServerSession): SmtpPeer => ({
  id: session.id,
  address: session.remoteAddress,
  helo: session.hostNameAppearsAs || '',
  isEncrypted: session.secure,
})

const senderOf = ({ envelope }: SMTPServerSession): string => (envelope.mailFrom ? envelope.mailFrom.address : '')

/** The library wants something that is true; a user of ours may be anything. */
const userOf = <User>({ user }: SMTPServerSession): User | null => (user ? (user as { user: User }).user : null)
