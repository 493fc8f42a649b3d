import { setTimeout as wait } from 'node:timers/promises'
import type { AuditActor } from '../../kernel/audit/record.ts'
import { enqueue, isJobHeld } from '../../kernel/jobs/queries.ts'
import { ARCHIVING_JOB } from '../../kernel/partitions/archive.ts'
import { removeAbandoned } from '../../kernel/partitions/temporary.ts'
import { AddressPattern } from '../../mail/address-pattern.ts'
import { momentOf } from '../../platform/ids.ts'
import { ErasedAddresses } from '../emails/delivery/ledger/erased-addresses.ts'
import { type ArchiveSearch, eraseArchived, findArchived } from './archive/search.ts'
import { erasedOf, LATE_LOGS_MS, lateLogsJob } from './late-logs.ts'
import { completeRequest, openRequest, type PersonalDataRequest, saveProgress } from './requests.ts'
import type { PersonalDataServices } from './services.ts'
import { type Counts, countIn, erase, type Reached, type Search, searchRows } from './tables/run.ts'

export interface Performance {
  readonly address: string
  readonly actor: AuditActor
  readonly signal?: AbortSignal
  /** After each slice. */
  readonly onProgress?: (reached: Reached, rowsSearched: number) => void | Promise<void>
  /** For an export: each row, with its table. */
  readonly each?: (table: string, row: string) => Promise<void>
  /** For an export: where it was written to. */
  readonly blob?: () => Promise<string | null>
  /** Whether files of the archive can be read. */
  readonly canReadArchive?: () => Promise<boolean>
}

export interface Performed {
  readonly request: PersonalDataRequest
  readonly counts: Counts
  readonly isComplete: boolean
}

/** Does what a request asks for, from where it was left. */
export async function perform(
  { db, blobs, sealer, config }: PersonalDataServices,
  request: PersonalDataRequest,
  { address, actor, signal, onProgress, each, blob, canReadArchive }: Performance,
): Promise<Performed> {
  // What an export has written goes with its process.
  const isResumed = request.action === 'erase'
  const counts: Counts = isResumed ? { ...request.counts } : {}
  let rowsSearched = Number(request.rowsSearched)
  const search: Search = {
    db,
    blobs,
    pattern: new AddressPattern(address),
    erased: new ErasedAddresses(sealer),
    team: request.team,
    since: momentOf(request.id),
    from: isResumed ? resumedFrom(request) : null,
    counts,
    ...(signal && { signal }),
    async progress(reached, rows) {
      rowsSearched += rows
      await onProgress?.(reached, rowsSearched)
      await saveProgress(db, request, { reached, rows, counts })
    },
  }
  let isComplete = true
  if (request.action === 'erase') isComplete = await erase(search)
  else await searchRows(search, each && ((table, row) => each(table.name, row)))
  const archive = { ...search, config, ...(canReadArchive && { canRead: canReadArchive }) }
  const progress = (file: string) => search.progress({ pass: ARCHIVE_PASS, table: ARCHIVE, key: [file] }, 0)
  if (!(await performInArchive({ ...archive, progress }, request.action, { counts, each }))) isComplete = false
  await completeRequest(db, request, {
    ...{ counts, isComplete, actor, blob: (await blob?.()) ?? null },
    async andThen(trx) {
      if (request.action !== 'erase') return
      const runAt = new Date(db.clock.now().getTime() + LATE_LOGS_MS)
      await enqueue(trx, lateLogsJob, erasedOf(sealer, request, address), { runAt })
    },
  })
  return { request, counts, isComplete }
}

/** What comes behind all passes: whoever goes on from there looks through the tables once more, and begins with the archive anew. */
const ARCHIVE_PASS = 1_000
const ARCHIVE = 'archive'

const resumedFrom = ({ reached }: PersonalDataRequest): Reached | null =>
  reached?.pass === ARCHIVE_PASS ? { pass: 2, table: '', key: null } : reached

/** Rows of the archive count apart from those of its tables. False: it could not be searched. */
async function performInArchive(
  search: ArchiveSearch & Pick<Search, 'db'>,
  action: PersonalDataRequest['action'],
  { counts, each }: { counts: Counts; each: Performance['each'] },
): Promise<boolean> {
  const nameOf = (table: string) => `archived_${table}`
  // Said once more by every run.
  delete counts[ARCHIVE]
  if (action === 'erase' && !(await waitForArchiving(search))) {
    countIn(counts, ARCHIVE, { pending: 1 })
    return false
  }
  const unsearched =
    action === 'erase'
      ? await eraseArchived(search, (table, rows) => countIn(counts, nameOf(table), { deleted: rows }))
      : await findArchived(search, {
          found: (table, rows) => countIn(counts, nameOf(table), { found: rows }),
          each: each && ((table, row) => each(nameOf(table), row)),
        })
  if (unsearched > 0) countIn(counts, ARCHIVE, { pending: unsearched })
  return unsearched === 0
}

const ARCHIVING_POLL_MS = 1_000
const MAX_ARCHIVING_MS = 60_000

/** Rows that were read before they were erased may be on their way into the archive. Nobody begins to archive while somebody is erased (`isErasing`). */
async function waitForArchiving({ db, config, signal }: ArchiveSearch & Pick<Search, 'db'>): Promise<boolean> {
  const deadline = performance.now() + MAX_ARCHIVING_MS
  while (await isJobHeld(db, ARCHIVING_JOB)) {
    if (performance.now() > deadline) return false
    await wait(ARCHIVING_POLL_MS, undefined, signal ? { signal } : {})
  }
  await removeAbandoned(config)
  return true
}

/** The same for an address of which nothing was asked yet. */
export const begin = (
  services: PersonalDataServices,
  asked: { team: string | null; action: PersonalDataRequest['action']; address: string },
) => openRequest(services.db, services.sealer, asked)
