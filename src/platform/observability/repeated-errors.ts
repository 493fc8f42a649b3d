import { levelOf } from '../database-errors.ts'
import type { Log } from './log.ts'

const LOG_EVERY_MS = 60_000
/** Different errors that are counted apart; beyond it they count as one. */
const MAX_KINDS = 20

/**
 * Errors that come with every request of a bad time, without a stack for each: the first of a kind is logged whole, and how many came
 * after it once in a minute. That the database is away `DatabaseHealth` has said already.
 */
export class RepeatedErrors {
  readonly #log: Log
  readonly #message: string
  readonly #everyMs: number
  /** By what the error says: how many were not logged. */
  readonly #counts = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null

  /** `message` begins with the component, and says what failed. */
  constructor(log: Log, message: string, everyMs = LOG_EVERY_MS) {
    this.#log = log
    this.#message = message
    this.#everyMs = everyMs
  }

  note(error: unknown, facts: object = {}) {
    const level = levelOf(error, 'error')
    if (level === 'debug') return this.#log.debug({ error, ...facts }, this.#message)
    const kind = this.#kindOf(error)
    const count = this.#counts.get(kind)
    if (count === undefined) this.#log[level]({ error, ...facts }, this.#message)
    this.#counts.set(kind, count === undefined ? 0 : count + 1)
    this.#timer ??= setTimeout(() => this.#tell(), this.#everyMs).unref()
  }

  #kindOf(error: unknown): string {
    const kind = error instanceof Error ? error.message : String(error)
    return this.#counts.has(kind) || this.#counts.size < MAX_KINDS ? kind : ''
  }

  #tell() {
    this.#timer = null
    for (const [reason, times] of this.#counts)
      if (times > 0) this.#log.error({ times, reason }, `${this.#message} again`)
    this.#counts.clear()
  }
}
