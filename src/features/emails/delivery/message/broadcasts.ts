import type { Database } from '../../../../kernel/db/database.ts'
import type { BroadcastContent } from '../../../../mail/broadcast.ts'
import { type BroadcastState, countPlaceholders, findStates, type TeamByBroadcast } from '../../../broadcasts/reads.ts'
import { MAX_MESSAGE_BYTES } from './weight.ts'

export interface LoadedBroadcast extends BroadcastState {
  /** Variables that each recipient email fills in, at most. */
  readonly placeholders: number
}

/** A broadcast whose text is at hand, as it would be found. */
export function loadedBroadcast(
  team: string,
  id: string,
  { html, text, previewText }: BroadcastContent,
): LoadedBroadcast {
  const bytesOf = (said: string | null) => (said === null ? 0 : Buffer.byteLength(said))
  return {
    ...{ id, team, isCanceled: false, isPaused: false, bytes: bytesOf(html) + bytesOf(text) + bytesOf(previewText) },
    placeholders: `${html ?? ''}${text ?? ''}`.split('{{{').length - 1,
  }
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

  async #count(unknown: TeamByBroadcast) {
    for (const { id, placeholders } of await countPlaceholders(this.#db, unknown, MAX_MESSAGE_BYTES))
      this.#placeholders.set(id, placeholders)
    for (const id of [...this.#placeholders.keys()].slice(0, -MAX_COUNTED)) this.#placeholders.delete(id)
  }
}
