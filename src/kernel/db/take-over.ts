import type { Database } from './database.ts'
import { LIVING_NODES } from './presence.ts'
import { type Sql, sql } from './sql.ts'

/** A claim that was executed after its node was called dead leaves rows behind that no node will be missed for. */
const LOOK_MS = 60_000

interface Parts {
  readonly db: Database
  /** Selects the nodes that hold rows, as `holder`. */
  readonly holders: Sql
  release(nodes: readonly number[]): Promise<void>
  /** Runs it, and deals with a database that is away. */
  quietly(work: () => Promise<void>): Promise<unknown>
}

/** Gives back what nodes hold that are not there any more: at once when a node goes, and now and then for what slipped through. */
export class TakeOver {
  readonly #parts: Parts
  #timer: NodeJS.Timeout | undefined
  #stopListening = () => {}

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start() {
    const { db, release, quietly } = this.#parts
    const onGone = (nodes: number[]) => void quietly(() => release(nodes))
    db.presence.on('gone', onGone)
    this.#stopListening = () => db.presence.off('gone', onGone)
    const look = () => void quietly(() => this.#look())
    this.#timer = setInterval(look, LOOK_MS).unref()
    look()
  }

  stop() {
    this.#stopListening()
    clearInterval(this.#timer)
  }

  async #look() {
    const { db, holders, release } = this.#parts
    const rows = await db.query<{ holder: number }>(sql`
      select distinct holder from (${holders}) held where holder not in (${LIVING_NODES})`)
    if (rows.length > 0) await release(rows.map(({ holder }) => holder))
  }
}
