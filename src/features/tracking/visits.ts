import { setTimeout as wait } from 'node:timers/promises'
import { type Database, pooled } from '../../kernel/db/database.ts'
import { OUTBOX_CHANNEL } from '../../kernel/outbox/record.ts'
import { Batcher } from '../../platform/concurrency/batcher.ts'
import { isUnavailable, levelOf } from '../../platform/database-errors.ts'
import type { Log } from '../../platform/observability/log.ts'
import { type JudgedVisit, recordVisits, type Visit } from './actions.ts'

const LIMITS = { maxItems: 200, maxWrites: 1 }
/** A scanner follows all links in one go. Whether a click was alone is known after this long. */
const HOLD_MS = 1_000
const MOST_WAITING = 20_000
/** Whoever has one link can follow it as often as they like; what waits of one email is not all that there is room for. */
const MOST_WAITING_OF_EMAIL = 500
const RETRY_MS = 500
const RETRIES = 60

/**
 * Writes down who opened and clicked, off the path of the answer. Nobody waits for it: a link must work when the database does not,
 * and losing an open is better than losing a reader. While the database is away visits wait half a minute, up to a bound.
 */
export class Visits {
  readonly #db: Database
  readonly #log: Log
  readonly #batcher: Batcher<JudgedVisit, true>
  /** Clicks of one recipient in the same moment, until it is over. */
  readonly #held = new Map<string, { clicks: Visit[]; timer: NodeJS.Timeout }>()
  readonly #writing = new Set<Promise<unknown>>()
  #isInHaste = false
  readonly #waitingOf = new Map<string, number>()
  #waiting = 0
  #lost = 0

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
    this.#batcher = new Batcher((visits) => this.#write(visits), LIMITS)
  }

  note(visit: Visit) {
    const ofEmail = this.#waitingOf.get(visit.email) ?? 0
    if (this.#waiting >= MOST_WAITING || ofEmail >= MOST_WAITING_OF_EMAIL) return void this.#lost++
    this.#waiting++
    this.#waitingOf.set(visit.email, ofEmail + 1)
    if (visit.target === null) return this.#add({ ...visit, linksAtOnce: 0 })
    const key = `${visit.email} ${visit.recipient}`
    const held = this.#held.get(key)
    if (held) return void held.clicks.push(visit)
    const timer = setTimeout(() => this.#release(key), HOLD_MS).unref()
    this.#held.set(key, { clicks: [visit], timer })
  }

  /** Resolves when everything that was noted before the call is written, or is lost. */
  async flush(): Promise<void> {
    this.#isInHaste = true
    for (const key of [...this.#held.keys()]) this.#release(key)
    await Promise.all(this.#writing)
    this.#isInHaste = false
  }

  #release(key: string) {
    const { clicks, timer } = this.#held.get(key)!
    clearTimeout(timer)
    this.#held.delete(key)
    const linksAtOnce = new Set(clicks.map(({ target }) => target)).size
    for (const click of clicks) this.#add({ ...click, linksAtOnce })
  }

  #add(visit: JudgedVisit) {
    const written = this.#batcher.add(visit).catch((error) => {
      this.#lost++
      this.#log[levelOf(error, 'warn')](
        { error, email: visit.email, lost: this.#lost },
        'an open or a click could not be written down',
      )
    })
    this.#writing.add(written)
    written.then(() => {
      this.#writing.delete(written)
      this.#waiting--
      const left = this.#waitingOf.get(visit.email)! - 1
      if (left > 0) this.#waitingOf.set(visit.email, left)
      else this.#waitingOf.delete(visit.email)
    })
  }

  async #write(visits: readonly JudgedVisit[]): Promise<true[]> {
    for (let retries = 0; ; retries++) {
      try {
        await this.#record(visits)
        return visits.map(() => true)
      } catch (error) {
        if (!isUnavailable(error) || this.#isInHaste || retries === RETRIES) throw error
        await wait(RETRY_MS, undefined, { ref: false })
      }
    }
  }

  async #record(visits: readonly JudgedVisit[]) {
    await recordVisits(pooled(this.#db), visits)
    this.#db.signals.announce(OUTBOX_CHANNEL)
  }
}
