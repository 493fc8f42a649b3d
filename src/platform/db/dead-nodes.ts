import type { Queryable } from './database.ts'
import { LIVING_NODES } from './signals.ts'
import { type Sql, sql } from './sql.ts'

/**
 * Finds nodes that hold rows and are gone. A node counts as gone when it is missing twice in a row: one that only lost its
 * connection is back before the second look, and must not have its work done again by somebody else. After a restart of the
 * database everybody is missing for a moment, so for the first seconds nobody is called dead.
 */
export class DeadNodes {
  readonly #holders: Sql
  readonly #quietSeconds: number
  #missing = new Set<number>()

  /** `holders` selects the nodes that hold rows, as `holder`. */
  constructor(holders: Sql, { quietSeconds = 3 } = {}) {
    this.#holders = holders
    this.#quietSeconds = quietSeconds
  }

  async look(db: Queryable): Promise<number[]> {
    const rows = await db.query<{ holder: number }>(sql`
      select distinct holder from (${this.#holders}) held
      where holder not in (${LIVING_NODES})
        and pg_postmaster_start_time() < clock_timestamp() - make_interval(secs => ${this.#quietSeconds})`)
    const gone = rows.map(({ holder }) => holder)
    const confirmed = gone.filter((holder) => this.#missing.has(holder))
    this.#missing = new Set(gone)
    return confirmed
  }
}

/** Twice this is how long a dead node's work stays undone. */
export const LOOK_FOR_DEAD_NODES_MS = 400
