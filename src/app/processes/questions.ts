import type { ToMember, ToSupervisor } from './messages.ts'

/** Who takes longer is left out: Prometheus gives up after ten seconds. */
const ANSWER_MS = 3_000

export interface Answerer {
  send(message: ToMember): void
}

interface Question {
  readonly waitingFor: Set<Answerer>
  readonly values: unknown[]
  finish(): void
}

/** Puts what one process asks to the others, and gives it their answers together. */
export class Questions {
  readonly #open = new Map<number, Question>()
  #lastId = 0

  ask({ id, question, payload }: Extract<ToSupervisor, { type: 'ask' }>, asker: Answerer, others: Iterable<Answerer>) {
    const own = ++this.#lastId
    const waitingFor = new Set(others)
    const values: unknown[] = []
    const finish = () => {
      clearTimeout(deadline)
      this.#open.delete(own)
      asker.send({ type: 'answers', id, values })
    }
    const deadline = setTimeout(finish, ANSWER_MS)
    if (waitingFor.size === 0) return finish()
    this.#open.set(own, { waitingFor, values, finish })
    for (const other of waitingFor) other.send({ type: 'question', id: own, question, payload })
  }

  answer({ id, value }: Extract<ToSupervisor, { type: 'answer' }>, from: Answerer) {
    const question = this.#open.get(id)
    if (!question?.waitingFor.delete(from)) return
    if (value !== undefined) question.values.push(value)
    if (question.waitingFor.size === 0) question.finish()
  }

  /** It has ended, and answers nothing any more. */
  forget(answerer: Answerer) {
    for (const question of [...this.#open.values()])
      if (question.waitingFor.delete(answerer) && question.waitingFor.size === 0) question.finish()
  }
}
