import { isUnavailable } from '../../../platform/database-errors.ts'
import { READ_YOUR_WRITES } from '../../../platform/read-your-writes.ts'
import { type FilingParts, fileSome } from './file.ts'
import { hasPending } from './pending.ts'

const MAX_BATCHES = 10

/**
 * Files what waits for this team, for whoever is about to look at it: who got 250 or 201 finds it at once. When nothing waits it is
 * an index probe. Call it outside of transactions: filing locks inboxes.
 */
export async function fileNow(parts: FilingParts, team: string): Promise<void> {
  if (!(await hasPending(parts.db, team))) return
  const end = performance.now() + READ_YOUR_WRITES.maxMs
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const waitMs = end - performance.now()
    if (waitMs <= 0 || (await fileOrLeave(parts, team, waitMs)) !== 'more') return
  }
}

/** What cannot be filed is the worker's to tell, and no reason to show nothing. */
async function fileOrLeave(parts: FilingParts, team: string, waitMs: number) {
  try {
    return await fileSome(parts, team, { waitMs })
  } catch (error) {
    if (isUnavailable(error)) throw error
    return 'elsewhere'
  }
}
