import { hours, minutes } from '../../../kernel/jobs/job.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { job } from '../../definitions.ts'
import { readContact } from './contact-row.ts'
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
    let reached = begun.readTo

    const load = async (batch: readonly CsvRecord[]) => {
      signal.throwIfAborted()
      const contacts = batch.map(({ values }) => readContact(values, plan)).filter((row) => row !== null)
      const to = batch.at(-1)!.end
      await db.transaction(async (trx) => {
        const fitting = await withinLimit(trx, team, contacts)
        const loaded = await loadContacts(trx, team, fitting, plan)
        const outcome = { ...loaded, failed: batch.length - fitting.length }
        if (!(await advanceImport(trx, team, importId, { from: reached, to, outcome })))
          throw new Error('another worker has gone on with this import')
      })
      reached = to
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
