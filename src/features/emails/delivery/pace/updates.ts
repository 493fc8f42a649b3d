import type { Database } from '../../../../kernel/db/database.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { applyPaceUpdates, keyText, type PaceKey, type PaceUpdate, type UpdatedPace } from './store.ts'

/**
 * What this node tells the controllers in the database, one batch after another. Two at once could be answered in either order, and then
 * the older answer would let mail go at a rate that a reply has just cut.
 */
export class PaceUpdates {
  readonly #db: Database
  readonly #log: Log
  /** Hears what became of a controller, and that it is written. */
  readonly #onWritten: (written: readonly UpdatedPace[]) => void
  #waiting: PaceUpdate[] = []
  #inHand: readonly PaceUpdate[] = []
  #writing: Promise<void> | null = null
  #batches = 0

  constructor(db: Database, parts: { log: Log; onWritten: (written: readonly UpdatedPace[]) => void }) {
    this.#db = db
    this.#log = parts.log
    this.#onWritten = parts.onWritten
  }

  /** Returns when they are written, or given up with an error in the log. */
  async write(news: readonly PaceUpdate[]) {
    if (news.length === 0) return
    this.#waiting.push(...news)
    this.#writing ??= this.#writeAll()
    await this.#writing
  }

  /** Batches that were written: what was read before the last of them is old. */
  get batches(): number {
    return this.#batches
  }

  /** Whether a cut of it was heard here that the database does not know yet: nothing that was read there is newer. */
  isCut(key: PaceKey): boolean {
    const text = keyText(key)
    const isOf = (one: PaceUpdate) => one.event.kind === 'throttled' && keyText(one) === text
    return this.#inHand.some(isOf) || this.#waiting.some(isOf)
  }

  async #writeAll() {
    try {
      while (this.#waiting.length > 0) {
        this.#inHand = this.#waiting
        this.#waiting = []
        const written = await this.#writeBatch(this.#inHand)
        this.#inHand = []
        if (written.length > 0) this.#batches++
        this.#onWritten(written.filter((one) => !this.isCut(one)))
      }
    } finally {
      this.#writing = null
    }
  }

  async #writeBatch(news: readonly PaceUpdate[]): Promise<readonly UpdatedPace[]> {
    try {
      return await applyPaceUpdates(this.#db, news)
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error }, 'delivery: saving pace updates failed')
      return []
    }
  }
}
