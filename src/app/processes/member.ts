import cluster from 'node:cluster'
import type { Siblings } from '../../platform/siblings.ts'
import type { ToMember, ToSupervisor } from './messages.ts'

/** One of several processes, as it sees its supervisor and the others. */
export class Member implements Siblings {
  readonly number: number
  /** Whether it is the one that the start waits for, which prints the welcome text. A process that was restarted is not. */
  readonly isFirst: boolean
  readonly #answers = new Map<string, (payload: unknown) => Promise<unknown>>()
  readonly #asked = new Map<number, (values: unknown[]) => void>()
  #lastId = 0

  private constructor({ number, isFirst }: Extract<ToMember, { type: 'joined' }>) {
    this.number = number
    this.isFirst = isFirst
    process.on('message', (message: ToMember) => this.#receive(message))
    process.once('disconnect', stopMyself)
  }

  static async join(): Promise<Member> {
    // Node ends a worker without its primary at once. Ours stops as it does by a signal.
    cluster.worker!.exitedAfterDisconnect = true
    // What is written to a supervisor that was killed fails, also Node's own answer to a connection that it handed over. Its end is seen by that of the channel.
    cluster.worker!.on('error', () => {})
    const joined = new Promise<Member>((resolve) =>
      process.once('message', (message: Extract<ToMember, { type: 'joined' }>) => resolve(new Member(message))),
    )
    send({ type: 'join' })
    return joined
  }

  started() {
    send({ type: 'started' })
  }

  /** Nothing keeps the process from ending by itself any more. */
  leave() {
    process.off('disconnect', stopMyself)
    if (process.connected) process.disconnect()
  }

  ask(question: string, payload: unknown = null): Promise<unknown[]> {
    if (!process.connected) return Promise.resolve([])
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#asked.set(id, resolve)
      send({ type: 'ask', id, question, payload })
    })
  }

  answer(question: string, by: (payload: unknown) => Promise<unknown>) {
    this.#answers.set(question, by)
  }

  #receive(message: ToMember) {
    if (message.type === 'question') void this.#reply(message)
    if (message.type !== 'answers') return
    this.#asked.get(message.id)?.([...message.values])
    this.#asked.delete(message.id)
  }

  /** What cannot be answered is not: whoever asked goes on without it. */
  async #reply({ id, question, payload }: Extract<ToMember, { type: 'question' }>) {
    const value = await this.#answers
      .get(question)?.(payload)
      .catch(() => undefined)
    send({ type: 'answer', id, value })
  }
}

const stopMyself = () => process.kill(process.pid, 'SIGTERM')

/** A supervisor that is gone is noticed by the end of the channel. */
const send = (message: ToSupervisor) => void (process.connected && process.send!(message, undefined, {}, () => {}))
