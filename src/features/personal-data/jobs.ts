import { SYSTEM } from '../../kernel/audit/record.ts'
import { noteBlobs } from '../../kernel/blobs/loose-blobs.ts'
import { hours, type Job, minutes } from '../../kernel/jobs/job.ts'
import { firstIdAt, isSandbox, momentOf } from '../../platform/ids.ts'
import { job } from '../definitions.ts'
import type { Services } from '../services.ts'
import { perform } from './perform.ts'
import { addressOf, findOfTeam } from './requests.ts'
import type { PersonalDataServices } from './services.ts'
import { emptyLogs } from './tables/remove-mail.ts'

const RETRY_SCHEDULE = [5, 30, minutes(5), hours(1), hours(6)]
const LOG_SLICE_ROWS = 2_000
/** An email is logged when its request is answered, and its id is made before that. */
const BEFORE_EMAIL_MS = 3_600_000
/** What is downloaded from the dashboard is put together in memory. */
const MAX_EXPORT_BYTES = 32 * 1024 * 1024

interface Mails {
  readonly team: string
  readonly emails: readonly string[]
}

/** Empties logged bodies of emails that were deleted. Twice finds nothing more. */
export const emptyLogsJob: Job<Mails, Services> = job<Mails>({
  name: 'personal-data.empty-logs',
  retryAfterSeconds: RETRY_SCHEDULE,
  async run({ team, emails }, { db, signal }) {
    const first = [...emails].sort()[0]
    if (first === undefined) return
    // Ids of a sandbox are in a time of its own, and those of requests are not.
    const since = isSandbox(team) ? new Date(0) : new Date(momentOf(first).getTime() - BEFORE_EMAIL_MS)
    for (let after: string | null = firstIdAt(since); after !== null; ) {
      signal.throwIfAborted()
      const from: string = after
      after = await db.transaction((trx) => emptyLogs(trx, team, { emails, after: from, limit: LOG_SLICE_ROWS }))
    }
  },
})

interface Asked {
  readonly team: string
  readonly id: string
}

/** Does what an owner asked for. A second run goes on where the first one was, or finds the request completed. */
export const performJob: Job<Asked, Services> = job<Asked>({
  name: 'personal-data.perform',
  retryAfterSeconds: RETRY_SCHEDULE,
  concurrency: 1,
  async run({ team, id }, services) {
    const request = await findOfTeam(services.db, team, id)
    if (!request || request.completedAt !== null) return
    const address = await addressOf(services.db, services.sealer, id)
    if (address === null) return
    const exported = request.action === 'export' ? new ExportedRows(services, id) : null
    await perform(services, request, {
      ...{ address, actor: SYSTEM, signal: services.signal },
      ...(exported && { each: exported.add, blob: exported.store }),
    })
  },
})

/** One JSON document, in the blob store for a day. */
class ExportedRows {
  readonly #services: PersonalDataServices
  readonly #key: string
  readonly #rows: string[] = []
  #bytes = 0

  constructor(services: PersonalDataServices, id: string) {
    this.#services = services
    this.#key = `personal-data/${id}`
  }

  add = async (table: string, row: string) => {
    this.#bytes += row.length
    if (this.#bytes <= MAX_EXPORT_BYTES) this.#rows.push(`{"table":${JSON.stringify(table)},"row":${row}}`)
  }

  /** Null: it is too large; `postwren person export` writes any amount. */
  store = async (): Promise<string | null> => {
    if (this.#bytes > MAX_EXPORT_BYTES) return null
    const { db, blobs } = this.#services
    await noteBlobs(db, [this.#key])
    await blobs.put(this.#key, Buffer.from(`{"object":"personal_data","data":[${this.#rows.join(',')}]}`))
    return this.#key
  }
}
