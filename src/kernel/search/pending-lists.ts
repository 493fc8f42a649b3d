import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { job } from '../jobs/job.ts'

const EVERY_SECONDS = 300

/**
 * New words stand in the pending list of an index first, a megabyte at most, and each search reads it from end to end. It is taken into the index when it is full or when
 * PostgreSQL vacuums the table. What comes late into a week that is over does neither: an email that bounces days later, documents of old mail after
 * an upgrade. With 13 such weeks a word that nobody has took 50 ms instead of 13.
 */
export const cleanPendingLists = job<object, { readonly db: Database }>({
  name: 'search.clean-pending-lists',
  everySeconds: EVERY_SECONDS,
  retryAfterSeconds: [],
  async run(_payload, { db, signal }) {
    for (const { index } of await findIndexes(db)) {
      signal.throwIfAborted()
      // One by one: each is a short transaction. Without a list it is a look at one page.
      await db.query(sql`select gin_clean_pending_list(${index}::oid::regclass)`)
    }
  },
})

/** Those of all tables of documents, and of their weeks. */
const findIndexes = (db: Database): Promise<{ index: number }[]> =>
  db.query(sql`
    select i.indexrelid as index from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    where a.amname = 'gin' and c.relkind = 'i' and (
      i.indrelid = 'search_documents'::regclass
      or i.indrelid in (
        select h.inhrelid from pg_inherits h where h.inhparent in ('email_documents'::regclass, 'received_documents'::regclass)))`)
