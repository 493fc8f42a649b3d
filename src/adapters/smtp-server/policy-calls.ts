import { setTimeout as wait } from 'node:timers/promises'
import { clientOf } from '../../platform/client-address.ts'
import type { ListenerContext } from './context.ts'
import { isRefusal, type SmtpAnswer, type SmtpMail, type SmtpPeer, type SmtpRefusal } from './handler.ts'
import { LOCAL_ERROR } from './reply.ts'

const TOO_MANY_FROM_ADDRESS: SmtpRefusal = {
  code: 421,
  enhanced: '4.7.0',
  message: 'Too many failed logins from your address, try again later',
}

/** Asks the handler what only it can know. What it throws becomes 451, here and nowhere else. */
export class PolicyCalls<User> {
  readonly #context: ListenerContext<User>

  constructor(context: ListenerContext<User>) {
    this.#context = context
  }

  /** Who fails waits for the answer. Neither name nor password is logged: people mix them up. */
  async logIn(
    { username, password, delayMs }: { username: string; password: string; delayMs: number },
    peer: SmtpPeer,
  ): Promise<{ user: User } | SmtpRefusal> {
    const { handler, failedLogins } = this.#context
    const client = clientOf(peer.address)
    if (!failedLogins.has(client)) return TOO_MANY_FROM_ADDRESS
    const user = await this.#ask(peer, () => handler.authenticate({ username, password }, peer))
    if (!isRefusal(user)) return { user }
    if (user.code < 500 || user.isStaged) return user

    failedLogins.charge(client)
    await wait(delayMs, undefined, { ref: false })
    return user
  }

  async renew(user: User, peer: SmtpPeer): Promise<{ user: User } | SmtpRefusal> {
    const renewed = await this.#ask(peer, () => this.#context.handler.renew(user))
    return isRefusal(renewed) ? renewed : { user: renewed }
  }

  async checkSender(
    from: string,
    session: { readonly peer: SmtpPeer; readonly user: User | null },
  ): Promise<SmtpRefusal | null> {
    const { handler } = this.#context
    return handler.checkSender ? this.#ask(session.peer, () => handler.checkSender!(from, session)) : null
  }

  checkRecipient(
    recipient: string,
    session: { readonly peer: SmtpPeer; readonly user: User | null; readonly from: string },
  ): Promise<SmtpRefusal | null> {
    return this.#ask(session.peer, () => this.#context.handler.checkRecipient(recipient, session))
  }

  async take(mail: SmtpMail<User>): Promise<SmtpAnswer> {
    const answer = await this.#ask(mail.peer, () => this.#context.handler.take(mail))
    return 'kind' in answer ? answer : { kind: 'refused', ...answer }
  }

  async #ask<Answer>(peer: SmtpPeer, question: () => Promise<Answer>): Promise<Answer | SmtpRefusal> {
    try {
      return await question()
    } catch (error) {
      this.#context.handlerErrors.note(error, { session: peer.id, client: peer.address })
      return LOCAL_ERROR
    }
  }
}
