import type { Database } from '../../../kernel/db/database.ts'
import { isUnavailable } from '../../../platform/database-errors.ts'
import { LOOKING } from '../../../platform/looking.ts'
import { fileSome } from './file.ts'
import { hasNotes } from './notes.ts'

const MOST_BATCHES = 10

/**
 * Files what waits for this team, for whoever is about to look at it: who was told 250 or 201 finds it at once. When nothing waits it is
 * an index probe. Call it outside of transactions: filing locks inboxes.
 */
export async function fileNow(db: Database, team: string): Promise<void> {
  if (!(await hasNotes(db, team))) return
  const end = performance.now() + LOOKING.longestMs
  for (let batches = 0; batches < MOST_BATCHES; batches++) {
    const waitMs = end - performance.now()
    if (waitMs <= 0 || (await fileOrLeave(db, team, waitMs)) !== 'more') return
  }
}

/** What cannot be filed is the worker's to tell, and no reason to show nothing. */
async function fileOrLeave(db: Database, team: string, waitMs: number) {
  try {
    return await fileSome(db, team, { waitMs })
  } catch (error) {
    if (isUnavailable(error)) throw error
    return 'elsewhere'
  }
}
