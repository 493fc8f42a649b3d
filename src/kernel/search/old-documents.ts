import type { Database } from '../db/database.ts'
import { wasApplied } from '../db/schema-state.ts'
import { sql } from '../db/sql.ts'
import { hours, job } from '../jobs/job.ts'
import { deleteDocuments } from './catch-up.ts'
import { FIRST_ID, LAST_ID } from './ranges.ts'

/** Since when mail has documents in tables by time. */
const MIGRATION = '0175_documents_by_time.sql'
/** By then no process of a version before is left. */
const KEPT_MS = 48 * 3_600_000
const DOCUMENTS = 5_000

/**
 * Deletes documents of mail from where they were before they had tables of their own, in slices, and at the end of each team what says that they are there. Twice is as
 * once, and whoever is cut off is carried on by the next run. When none is left it is one look at an empty list.
 */
export const forgetOldDocuments = job<object, { readonly db: Database }>({
  name: 'search.forget-old-documents',
  everySeconds: hours(6),
  retryAfterSeconds: [],
  async run(_payload, { db, signal }) {
    if (!(await wasApplied(db, { name: MIGRATION, before: new Date(db.clock.now().getTime() - KEPT_MS) }))) return
    const rows = await db.query<{ team: string; kind: 'email' | 'received' }>(sql`
      select p.team_id as team, p.kind from search_progress p where p.kind in ('email', 'received')`)
    for (const { team, kind } of rows) {
      const range = { from: FIRST_ID, to: LAST_ID }
      while (await deleteDocuments(db, { team, kind, range, limit: DOCUMENTS })) signal.throwIfAborted()
      await db.query(sql.write`delete from search_progress where team_id = ${team} and kind = ${kind}`)
    }
  },
})
