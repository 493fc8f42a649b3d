import type { Database } from '../../kernel/db/database.ts'
import { levelOf } from '../../platform/database-errors.ts'
import type { Log } from '../../platform/observability/log.ts'
import { dayOf, type KeyUse, saveUses } from './queries.ts'

const FLUSH_MS = 1_000

/** Notes when and how often keys are used and writes it down once a second, for all of them together: no request waits for it. */
export class LastUsed {
  readonly #db: Database
  readonly #log: Log
  /** By key and day. */
  #uses = new Map<string, KeyUse>()
  #day = { number: Number.NaN, text: '' }
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  note(team: string, keyId: string) {
    const at = this.#db.clock.of(team).now()
    this.#add({ team, key: keyId, day: this.#dayOf(at), at, requests: 1 })
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref()
  }

  /** A date is made into text once a day, and not for each request. */
  #dayOf(at: Date): string {
    const number = Math.floor(at.getTime() / 86_400_000)
    if (number !== this.#day.number) this.#day = { number, text: dayOf(at) }
    return this.#day.text
  }

  /** Resolves when everything that was noted before the call is written, or has failed to be for now. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write() {
    const uses = [...this.#uses.values()]
    this.#uses = new Map()
    if (uses.length === 0) return
    await saveUses(this.#db, uses).catch((error) => {
      this.#log[levelOf(error, 'warn')]({ error }, 'api keys: saving last use failed')
      // For the next time. Should the database have written it down and not told us, a second counts twice.
      for (const use of uses) this.#add(use)
    })
  }

  #add(use: KeyUse) {
    const id = `${use.key} ${use.day}`
    const known = this.#uses.get(id)
    if (!known) return void this.#uses.set(id, use)
    known.requests += use.requests
    if (use.at > known.at) known.at = use.at
  }
}
