import { type Letter, prepareLetter, type ReadyLetter } from '../mail/broadcast.ts'
import type { Queryable } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'

/** What the copies of a broadcast share. */
export interface LoadedBroadcast {
  readonly letter: ReadyLetter
  /** What has not left by now stays. */
  readonly isCanceled: boolean
}

interface Copy {
  readonly team: string
  readonly broadcastId?: string | null
}

/** Few go out at the same time, and a letter can have a megabyte. */
const MAX_KEPT = 20

/** The broadcasts whose copies are in hand. What they say never changes and is kept ready; whether they go on is asked each time. */
export class Broadcasts {
  readonly #db: Queryable
  readonly #letters = new Map<string, ReadyLetter>()

  constructor(db: Queryable) {
    this.#db = db
  }

  /** Those that these emails are copies of, by id. */
  async find(emails: readonly Copy[]): Promise<ReadonlyMap<string, LoadedBroadcast>> {
    const wanted = new Map(emails.flatMap(({ team, broadcastId }) => (broadcastId ? [[broadcastId, team]] : [])))
    if (wanted.size === 0) return new Map()
    const [letters, states] = await Promise.all([this.#lettersOf(wanted), findStates(this.#db, wanted)])
    return new Map(states.map(({ id, isCanceled }) => [id, { isCanceled, letter: letters.get(id)! }]))
  }

  async #lettersOf(wanted: Teams): Promise<ReadonlyMap<string, ReadyLetter>> {
    const letters = new Map([...this.#letters].filter(([id]) => wanted.has(id)))
    const unknown = new Map([...wanted].filter(([id]) => !letters.has(id)))
    if (unknown.size === 0) return letters
    for (const { id, ...letter } of await findLetters(this.#db, unknown)) letters.set(id, prepareLetter(letter))
    for (const [id, letter] of letters) this.#letters.set(id, letter)
    for (const id of [...this.#letters.keys()].slice(0, -MAX_KEPT)) this.#letters.delete(id)
    return letters
  }
}

/** The team of each broadcast. */
type Teams = ReadonlyMap<string, string>

const among = (wanted: Teams) => sql`
  unnest(${[...wanted.values()]}::uuid[], ${[...wanted.keys()]}::uuid[]) as wanted (team_id, id) join broadcasts b using (team_id, id)`

const findStates = (db: Queryable, wanted: Teams) =>
  db.query<{ id: string; isCanceled: boolean }>(sql`
    select b.id, b.status = 'canceled' as "isCanceled" from ${among(wanted)}`)

const findLetters = (db: Queryable, wanted: Teams) =>
  db.query<Letter & { id: string }>(sql`
    select b.id, b.html, b.text, b.preview_text as "previewText" from ${among(wanted)}`)
