import type { Database } from '../../kernel/db/database.ts'
import { deleteDocuments } from '../../kernel/search/catch-up.ts'
import { lockFiling } from '../inboxes/filing/file.ts'
import { findFiled, removeMessages as removeFiled } from '../inboxes/filing/removal.ts'
import { deleteMarksIn } from './queries.ts'
import type { Direction } from './schema.ts'

const BATCH = 200
const DOCUMENTS = 5_000
const FILING_WAIT_MS = 10_000

/** A period of mail. */
export interface Period {
  readonly from: string
  readonly to: string
}

/**
 * Deletes what names messages of a team that are about to go with their period: search documents, messages of inboxes with their counts, marks. In
 * slices; whoever is cut off goes on with what is left.
 */
export async function removeNames(
  db: Database,
  team: string,
  { period, direction, signal }: { period: Period; direction: Direction; signal: AbortSignal },
) {
  const filed = {
    ...period,
    direction: direction === 'sent' ? ('outbound' as const) : ('inbound' as const),
    limit: BATCH,
  }
  for (let ids = await findFiled(db, team, filed); ids.length > 0; ids = await findFiled(db, team, filed)) {
    signal.throwIfAborted()
    await db.transaction(async (trx) => {
      await lockFiling(trx, team, FILING_WAIT_MS)
      await removeFiled(trx, team, ids)
    })
  }
  await deleteMarksIn(db, team, { ...period, direction })
  // Of texts. All others go with the period.
  if (direction === 'sent')
    while (await deleteDocuments(db, { team, kind: 'message', range: period, limit: DOCUMENTS }))
      signal.throwIfAborted()
}
