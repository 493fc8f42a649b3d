import { hours, minutes } from '../../../kernel/jobs/job.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { job } from '../../definitions.ts'
import { type ContactRow, readContact } from './contact-row.ts'
import { type CsvRecord, readRecords } from './csv.ts'
import { loadContacts, withinLimit } from './load.ts'
import {
  advanceImport,
  beginImport,
  deleteAbandonedPieces,
  deletePieces,
  endImport,
  findPiece,
  PIECE_BYTES,
} from './queries.ts'
import { deleteRowErrorsBefore, type FailedRow, insertRowErrors, MAX_KEPT_ERRORS } from './row-errors.ts'
import { resolveNames } from './row-names.ts'

/** Rows per transaction: progress shows every so many, and a crash costs no more than these. */
const BATCH = 2_000

/**
 * Loads an uploaded file. May run twice: each batch moves the place in the file together with its contacts, and only from the
 * place where it was, so a second run goes on where the first ended and two at once cannot both count a row.
 */
export const importContacts = job<{ team: string; importId: string }>({
  name: 'contacts.import',
  retryAfterSeconds: [1, 5, 30, minutes(2), minutes(10)],
  async run({ team, importId }, { db, signal }) {
    const begun = await beginImport(db, team, importId)
    if (!begun) return
    const { plan } = begun
    let { readTo: reached, total, failed } = begun

    const load = async (batch: readonly CsvRecord[]) => {
      signal.throwIfAborted()
      const rows = batch.map(({ values }, index) => ({
        ...readContact(values, plan),
        values,
        row: total + index + ROWS_BEFORE,
      }))
      const to = batch.at(-1)!.end
      const failedNow = await db.transaction(async (trx) => {
        const read = await resolveNames(trx, team, rows, plan)
        const contacts = read.flatMap((one) => ('contact' in one ? [one.contact] : []))
        const fitting = await withinLimit(trx, team, contacts)
        const loaded = await loadContacts(trx, team, fitting, plan)
        const outcome = { ...loaded, failed: batch.length - fitting.length }
        if (!(await advanceImport(trx, team, importId, { from: reached, to, outcome })))
          throw new Error('another worker has gone on with this import')
        if (outcome.failed > 0 && failed < MAX_KEPT_ERRORS) {
          const rows = failedRows(read, new Set(fitting)).slice(0, MAX_KEPT_ERRORS - failed)
          await insertRowErrors(trx, team, importId, { rows, names: plan.names ?? [] })
        }
        return outcome.failed
      })
      reached = to
      total += batch.length
      failed += failedNow
    }

    const readFrom = (offset: number) => pieces((position) => findPiece(db, team, importId, position), offset)
    let batch: CsvRecord[] = []
    for await (const record of readRecords(readFrom, reached, plan.delimiter)) {
      batch.push(record)
      if (batch.length < BATCH) continue
      await load(batch)
      batch = []
    }
    if (batch.length > 0) await load(batch)

    await db.transaction(async (trx) => {
      await endImport(trx, team, importId, 'completed')
      await deletePieces(trx, team, importId)
    })
  },
  async giveUp({ team, importId }, trx) {
    await endImport(trx, team, importId, 'failed')
    await deletePieces(trx, team, importId)
  },
})

/** From a record's index to its row: the header is row 1, and rows count from one. */
const ROWS_BEFORE = 2

const OVER_LIMIT = { column: null, reason: 'The contact limit of the team is reached.' }

type Read = ReturnType<typeof readContact> & Pick<FailedRow, 'row' | 'values'>

function failedRows(read: readonly Read[], loaded: ReadonlySet<ContactRow>): FailedRow[] {
  return read.flatMap((one) => {
    if ('contact' in one && loaded.has(one.contact)) return []
    const { row, values } = one
    return [{ row, values, ...('problem' in one ? one.problem : OVER_LIMIT) }]
  })
}

async function* pieces(
  find: (position: number) => Promise<Buffer | undefined>,
  offset: number,
): AsyncGenerator<Buffer> {
  let skip = offset % PIECE_BYTES
  for (let position = Math.floor(offset / PIECE_BYTES); ; position++) {
    const piece = await find(position)
    if (!piece) return
    yield piece.subarray(skip)
    skip = 0
  }
}

/** A day is longer than any upload takes. */
export const sweepUploads = retention({
  name: 'contacts.imports.sweep',
  keepSeconds: () => hours(24),
  deleteBefore: deleteAbandonedPieces,
})

/** Row errors older than this are of no use: the file is no longer going to be corrected. */
export const sweepRowErrors = retention({
  name: 'contacts.imports.errors.sweep',
  keepSeconds: () => 30 * hours(24),
  deleteBefore: deleteRowErrorsBefore,
})
