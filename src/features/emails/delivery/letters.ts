import type { Database } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { type Letter, prepareLetter, type ReadyLetter } from '../../../mail/broadcast.ts'
import type { LoadedBroadcast } from './broadcasts.ts'

/** Few go out at the same time, and most have less than 100 kB. What does not fit is loaded for each copy. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
const MAX_LETTER_BYTES = MAX_KEPT_BYTES / 4

/** What broadcasts say, ready to be filled in. It never changes, so it is kept as long as there is room. */
export class Letters {
  readonly #db: Database
  /** The oldest first. */
  readonly #letters = new Map<string, { bytes: number; letter: Promise<ReadyLetter> }>()
  #keptBytes = 0

  constructor(db: Database) {
    this.#db = db
  }

  of({ id, team, bytes }: LoadedBroadcast): Promise<ReadyLetter> {
    const known = this.#letters.get(id)
    if (known) return known.letter
    const letter = loadLetter(this.#db, team, id)
    if (bytes <= MAX_LETTER_BYTES) this.#keep(id, { bytes, letter })
    return letter
  }

  #keep(id: string, kept: { bytes: number; letter: Promise<ReadyLetter> }) {
    kept.letter.catch(() => this.#forget(id))
    this.#letters.set(id, kept)
    this.#keptBytes += kept.bytes
    for (const oldest of this.#letters.keys()) {
      if (this.#keptBytes <= MAX_KEPT_BYTES) break
      this.#forget(oldest)
    }
  }

  #forget(id: string) {
    this.#keptBytes -= this.#letters.get(id)?.bytes ?? 0
    this.#letters.delete(id)
  }
}

async function loadLetter(db: Database, team: string, id: string): Promise<ReadyLetter> {
  const [letter] = await db.queryPooled<Letter>(sql`
    select html, text, preview_text as "previewText" from broadcasts where team_id = ${team} and id = ${id}`)
  if (!letter) throw new Error(`The broadcast ${id} is gone`)
  return prepareLetter(letter)
}
