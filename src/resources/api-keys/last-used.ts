import type { Database } from '../../platform/db/database.ts'
import { levelOf } from '../../platform/db/errors.ts'
import type { Log } from '../../platform/log.ts'
import { saveLastUses } from './queries.ts'

const FLUSH_MS = 1_000

/** Notes when keys are used and writes it down once a second, for all of them together: no request waits for it. */
export class LastUsed {
  readonly #db: Database
  readonly #log: Log
  #seen = new Map<string, Date>()
  #timer: NodeJS.Timeout | null = null

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  note(team: string, keyId: string) {
    this.#seen.set(keyId, this.#db.clock.of(team).now())
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref()
  }

  async flush() {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const seen = this.#seen
    this.#seen = new Map()
    if (seen.size === 0) return
    await saveLastUses(this.#db, seen).catch((error) =>
      this.#log[levelOf(error, 'warn')]({ error }, 'could not save when keys were used'),
    )
  }
}
