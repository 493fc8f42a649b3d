import type { Queryable } from '../db/database.ts'

/** What the kernel cannot know about an act that a request asks for. */
export interface AuditNotes {
  /** Whose log tells of it, when it is not the one of who acts: an operator suspends the team of others. */
  readonly team?: string
  readonly objectId?: string
  /** What else is worth knowing, such as the role that somebody got. Never a secret. */
  readonly details?: object
}

const notes = new WeakMap<Queryable, AuditNotes>()

/**
 * Adds to what the audit log will say about this transaction, which is then told even when it leaves the database as it was. For
 * requests, which the kernel writes down; whoever else calls the act records it themselves or does without, and this changes nothing.
 */
export function noteForAudit(trx: Queryable, more: AuditNotes) {
  const { details, ...rest } = { ...notes.get(trx), ...more }
  notes.set(trx, { ...rest, ...(details && { details: { ...notes.get(trx)?.details, ...details } }) })
}

export const notesOf = (trx: Queryable): AuditNotes | undefined => notes.get(trx)
