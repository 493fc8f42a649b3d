import type { Suppressed } from '../ledger/queries.ts'
import type { NewEmail } from './accept.ts'

/**
 * What takes emails on in the process that accepts them: their rows are written as held by its node, and they go on from memory, without
 * being claimed and loaded. Answered by the delivery worker, if there is one in this process.
 */
export interface StraightThrough {
  /** Asked before they are written. Those that it takes are in flight from here on. Null: none. */
  reserve(emails: readonly NewEmail[]): HandOver | null
}

/** Emails whose delivery is reserved in this process. Ends in one of two ways. */
export interface HandOver {
  /** Holds the rows of the emails that are handed over. */
  readonly node: number
  /** Whether all emails are: then nobody has to look into the ledger. */
  readonly isForAll: boolean
  has(email: NewEmail): boolean
  /** These were accepted, perhaps not all of those that are handed over. */
  committed(written: { readonly emails: readonly NewEmail[]; readonly suppressed: readonly Suppressed[] }): void
  /** They were not, or nobody knows. */
  failed(error: unknown): void
}
