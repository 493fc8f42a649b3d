import { setTimeout as wait } from 'node:timers/promises'
import { type Database, pooled } from '../../kernel/db/database.ts'
import { OUTBOX_CHANNEL } from '../../kernel/outbox/record.ts'
import { Batcher } from '../../platform/concurrency/batcher.ts'
import { isUnavailable, levelOf } from '../../platform/database-errors.ts'
import type { Log } from '../../platform/observability/log.ts'
import { type JudgedVisit, recordVisits, type Visit } from './actions.ts'

const LIMITS = { maxItems: 200, maxWrites: 1 }
/** A scanner follows all links in one go. Whether a click was alone is known after this long. */
const BUFFER_MS = 1_000
const MAX_PENDING = 20_000
/** Whoever has one link can follow it as often as they like; what waits of one email is not all that there is room for. */
const MAX_PENDING_PER_EMAIL = 500
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
  readonly #buffered = new Map<string, { clicks: Visit[]; timer: NodeJS.Timeout }>()
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
    if (this.#waiting >= MAX_PENDING || ofEmail >= MAX_PENDING_PER_EMAIL) return void this.#lost++
    this.#waiting++
    this.#waitingOf.set(visit.email, ofEmail + 1)
    if (visit.target === null) return this.#add({ ...visit, linksAtOnce: 0 })
    const key = `${visit.email} ${visit.recipient}`
    const buffered = this.#buffered.get(key)
    if (buffered) return void buffered.clicks.push(visit)
    const timer = setTimeout(() => this.#release(key), BUFFER_MS).unref()
    this.#buffered.set(key, { clicks: [visit], timer })
  }

  /** Resolves when everything that was noted before the call is written, or is lost. */
  async flush(): Promise<void> {
    this.#isInHaste = true
    for (const key of [...this.#buffered.keys()]) this.#release(key)
    await Promise.all(this.#writing)
    this.#isInHaste = false
  }

  #release(key: string) {
    const { clicks, timer } = this.#buffered.get(key)!
    clearTimeout(timer)
    this.#buffered.delete(key)
    const linksAtOnce = new Set(clicks.map(({ target }) => target)).size
    for (const click of clicks) this.#add({ ...click, linksAtOnce })
  }

  #add(visit: JudgedVisit) {
    const written = this.#batcher.add(visit).catch((error) => {
      this.#lost++
      this.#log[levelOf(error, 'warn')](
        { error, email: visit.email, lost: this.#lost },
        'tracking: recording an open or click failed',
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
    const db = await this.#db.forTeams(visits.map(({ team }) => team))
    await recordVisits(pooled(db), visits)
    this.#db.signals.announce(OUTBOX_CHANNEL)
  }
}
