import type { Database } from '../../../../kernel/db/database.ts'
import { type PreparedContent, prepareContent } from '../../../../mail/broadcast.ts'
import { findContent } from '../../../broadcasts/reads.ts'
import type { LoadedBroadcast } from './broadcasts.ts'

/** Few go out at the same time, and most have less than 100 kB. What does not fit is loaded for each email. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024
const MAX_CONTENT_BYTES = MAX_CACHED_BYTES / 4

/** With it goes what its copies share of their messages (`spliceContent`), encoded in two ways and as it is hashed; long texts have no such thing. */
const SHARED_COPIES = 5
const MAX_SHARED_BYTES = 256 * 1024

const weightOf = (bytes: number) => bytes + SHARED_COPIES * Math.min(bytes, MAX_SHARED_BYTES)

/** What broadcasts say, ready to be filled in. It never changes, so it is kept as long as there is room. */
export class BroadcastContents {
  readonly #db: Database
  /** The oldest first. */
  readonly #cached = new Map<string, { bytes: number; content: Promise<PreparedContent> }>()
  #cachedBytes = 0

  constructor(db: Database) {
    this.#db = db
  }

  of({ id, team, bytes }: LoadedBroadcast): Promise<PreparedContent> {
    const known = this.#cached.get(id)
    if (known) return known.content
    const content = loadContent(this.#db, team, id)
    if (bytes <= MAX_CONTENT_BYTES) this.#cache(id, { bytes: weightOf(bytes), content })
    return content
  }

  #cache(id: string, entry: { bytes: number; content: Promise<PreparedContent> }) {
    entry.content.catch(() => this.#evict(id))
    this.#cached.set(id, entry)
    this.#cachedBytes += entry.bytes
    for (const oldest of this.#cached.keys()) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES) break
      this.#evict(oldest)
    }
  }

  #evict(id: string) {
    this.#cachedBytes -= this.#cached.get(id)?.bytes ?? 0
    this.#cached.delete(id)
  }
}

async function loadContent(db: Database, team: string, id: string): Promise<PreparedContent> {
  const content = await findContent(db, team, id)
  if (!content) throw new Error(`Broadcast ${id} was deleted`)
  return prepareContent(content)
}
