import { NO_SIGNAL, type PaceSignal } from './pace-signal.ts'

/** A mail that was answered. */
export interface AnsweredMail {
  readonly recipient: string
  /** Which attempt it was. */
  readonly attempt: number
  readonly startedAt: number
}

/** No greylisting goes on for so long: it is the fourth attempt, some twenty minutes after the first. */
const MAX_ATTEMPTS = 4
const MAX_PAIRS = 20_000
const MAX_DESTINATIONS = 10_000

/**
 * Tells greylisting from a destination that wants less and does not say so. Who comes back after so long that others were taken, and hears the
 * same again, was not greylisted. What one process has not heard itself it takes for greylisting, until the fourth attempt.
 */
export class Greylisting {
  /** When mail of a sender to a recipient was first put off. */
  readonly #since = new Map<string, number>()
  /** After which time mail that was put off was taken, at the earliest. */
  readonly #waitMs = new Map<string, number>()

  /** What an answer says about the destination, whatever its words are. */
  paceSignalOf(lesson: PaceSignal, destination: string, mail: AnsweredMail & { readonly sender: string }): PaceSignal {
    if (lesson.counts === 'taken') this.#taken(destination, mail)
    if (lesson.counts !== 'greylisted') return lesson
    return this.#isGreylisted(destination, mail) ? NO_SIGNAL : { cut: 'source', pause: null, counts: 'deferred' }
  }

  #isGreylisted(destination: string, mail: AnsweredMail & { readonly sender: string }): boolean {
    if (mail.attempt >= MAX_ATTEMPTS) return false
    const pair = pairOf(destination, mail)
    const since = this.#since.get(pair)
    if (since === undefined) {
      remember(this.#since, MAX_PAIRS, [pair, mail.startedAt])
      return true
    }
    return mail.startedAt - since < (this.#waitMs.get(destination) ?? Number.POSITIVE_INFINITY)
  }

  #taken(destination: string, mail: AnsweredMail & { readonly sender: string }) {
    if (mail.attempt === 1 || this.#since.size === 0) return
    const pair = pairOf(destination, mail)
    const since = this.#since.get(pair)
    if (since === undefined) return
    this.#since.delete(pair)
    const waitMs = Math.min(mail.startedAt - since, this.#waitMs.get(destination) ?? Number.POSITIVE_INFINITY)
    remember(this.#waitMs, MAX_DESTINATIONS, [destination, waitMs])
  }
}

const pairOf = (destination: string, { sender, recipient }: { sender: string; recipient: string }) =>
  `${destination} ${sender} ${recipient}`

/** The oldest goes when there are too many. */
function remember<Value>(map: Map<string, Value>, most: number, [key, value]: readonly [string, Value]) {
  if (map.size >= most && !map.has(key)) map.delete(map.keys().next().value!)
  map.set(key, value)
}
