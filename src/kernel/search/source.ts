import type { Queryable } from '../db/database.ts'
import type { Sql } from '../db/sql.ts'
import type { SearchDocument } from './document.ts'
import type { Kind } from './lexemes.ts'

/** Items of a kind, and how they become documents. */
export interface SearchSource {
  readonly kind: Kind
  /** Its table, which has `team_id` and `id`. */
  readonly table: Sql
  /** Set: its documents have a table of their own, with a partition for each week at the same ids as those of its items. Otherwise they are among `search_documents`. */
  readonly documents?: 'email_documents' | 'received_documents'
  /**
   * How documents follow their items:
   * - `changes`: each change is noted in `search_changes`. For what changes, and is not written in crowds.
   * - `always`: in the order of the ids, behind the write. For what never changes.
   * - `searched`: the same, for teams that have searched this kind of late. For what is large and searched by few.
   */
  readonly follows: 'changes' | 'always' | 'searched'
  /** Set: documents that are written in the order of the ids say something that changes for a few items, and that is noted in `search_changes`, too. */
  readonly isNoted?: boolean
  /** Set: a condition on an item `s`. What does not meet it yet gets its document when it does. */
  isReady?(db: Queryable, team: string): Sql
  /** The documents of those items that are there. */
  read(db: Queryable, team: string, ids: readonly string[]): Promise<readonly SearchDocument[]>
}
