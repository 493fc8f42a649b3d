import type pg from 'pg'
import { storeCompactly } from './nodes.ts'
import type { Sql } from './sql.ts'

/** How often a node asks whether it is time. */
const LOOK_MS = 60_000

/**
 * Whether bodies of emails are packed and their events brief: every node can read that, and those that cannot do not enter any more (`store_compactly` in the database).
 * It never ends, but for a database whose place another one has taken: so each connection begins anew.
 */
export class CompactStorage {
  isOn = false
  #lookedAt = Number.NEGATIVE_INFINITY

  beginAnew() {
    this.isOn = false
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  async look(now: number, ask: (statement: Sql) => Promise<pg.QueryResult>) {
    if (this.isOn || performance.now() - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = performance.now()
    // Who waits for a lock gives way, and looks again later.
    const answer = await ask(storeCompactly(new Date(now))).catch(() => null)
    this.isOn = answer?.rows[0]?.isCompact ?? false
  }
}
