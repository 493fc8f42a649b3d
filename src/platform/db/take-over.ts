import type { Database } from './database.ts'
import { LIVING_NODES } from './presence.ts'
import { type Sql, sql } from './sql.ts'

/** A claim that was executed after its node was called dead leaves rows behind that no node will be missed for. */
const LOOK_MS = 60_000

/** Gives back what nodes hold that are not there any more: at once when a node goes, and now and then for what slipped through. */
export class TakeOver {
  readonly #db: Database
  readonly #holders: Sql
  readonly #release: (nodes: readonly number[]) => Promise<void>
  readonly #quietly: (work: () => Promise<void>) => Promise<unknown>
  #timer: NodeJS.Timeout | undefined
  #stopListening = () => {}

  constructor(parts: {
    db: Database
    /** Selects the nodes that hold rows, as `holder`. */
    holders: Sql
    release(nodes: readonly number[]): Promise<void>
    /** Runs it, and deals with a database that is away. */
    quietly(work: () => Promise<void>): Promise<unknown>
  }) {
    this.#db = parts.db
    this.#holders = parts.holders
    this.#release = parts.release
    this.#quietly = parts.quietly
  }

  start() {
    const { presence } = this.#db
    const onGone = (nodes: number[]) => void this.#quietly(() => this.#release(nodes))
    presence.on('gone', onGone)
    this.#stopListening = () => presence.off('gone', onGone)
    const look = () => void this.#quietly(() => this.look())
    this.#timer = setInterval(look, LOOK_MS).unref()
    look()
  }

  stop() {
    this.#stopListening()
    clearInterval(this.#timer)
  }

  async look() {
    const rows = await this.#db.query<{ holder: number }>(sql`
      select distinct holder from (${this.#holders}) held where holder not in (${LIVING_NODES})`)
    if (rows.length > 0) await this.#release(rows.map(({ holder }) => holder))
  }
}
