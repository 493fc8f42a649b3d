import type { Database } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { MAX_MESSAGE_BYTES } from './weight.ts'

/** What is known of a broadcast before its text is loaded. */
export interface LoadedBroadcast {
  readonly id: string
  readonly team: string
  /** What has not left by now stays. */
  readonly isCanceled: boolean
  /** Of html, text and preview. */
  readonly bytes: number
  /** Variables that each recipient email fills in, at most. */
  readonly placeholders: number
}

interface RecipientEmail {
  readonly team: string
  readonly broadcastId?: string | null
}

const MAX_COUNTED = 1_000

/** The broadcasts whose emails are in flight. How many variables they have never changes; whether they go on is asked each time. */
export class Broadcasts {
  readonly #db: Database
  readonly #placeholders = new Map<string, number>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Those that these emails belong to, by id. */
  async find(emails: readonly RecipientEmail[]): Promise<ReadonlyMap<string, LoadedBroadcast>> {
    const wanted = new Map(emails.flatMap(({ team, broadcastId }) => (broadcastId ? [[broadcastId, team]] : [])))
    if (wanted.size === 0) return new Map()
    const unknown = new Map([...wanted].filter(([id]) => !this.#placeholders.has(id)))
    const [states] = await Promise.all([findStates(this.#db, wanted), unknown.size > 0 && this.#count(unknown)])
    return new Map(states.map((state) => [state.id, { ...state, placeholders: this.#placeholders.get(state.id) ?? 0 }]))
  }

  async #count(unknown: Teams) {
    for (const { id, placeholders } of await countPlaceholders(this.#db, unknown))
      this.#placeholders.set(id, placeholders)
    for (const id of [...this.#placeholders.keys()].slice(0, -MAX_COUNTED)) this.#placeholders.delete(id)
  }
}

/** The team of each broadcast. */
type Teams = ReadonlyMap<string, string>

const among = (wanted: Teams) => sql`
  ${rowsOf(
    [...wanted].map(([id, team]) => ({ team_id: team, id })),
    { team_id: 'uuid', id: 'uuid' },
  )} join broadcasts b using (team_id, id)`

// The length in bytes of a text that is stored elsewhere is known without fetching it.
const BYTES = sql`
  coalesce(octet_length(b.html), 0) + coalesce(octet_length(b.text), 0) + coalesce(octet_length(b.preview_text), 0)`

const findStates = (db: Database, wanted: Teams) =>
  db.query<Omit<LoadedBroadcast, 'placeholders'>>(sql`
    select b.id, b.team_id as team, b.status = 'canceled' as "isCanceled", ${BYTES} as bytes from ${among(wanted)}`)

/** Once for each broadcast: this does fetch the text, over there. One that is too large to be sent is not looked at. */
const countPlaceholders = (db: Database, wanted: Teams) =>
  db.queryPooled<{ id: string; placeholders: number }>(sql`
    select b.id, case when ${BYTES} > ${MAX_MESSAGE_BYTES} then 0 else
      (octet_length(body) - octet_length(replace(body, '{{{', ''))) / 3 end as placeholders
    from ${among(wanted)} cross join lateral (select concat(b.html, b.text) as body) content`)
