import type { Suppressed } from '../ledger/queries.ts'
import type { LoadedBroadcast } from '../message/broadcasts.ts'
import type { NewEmail } from './accept.ts'
import type { NewCopy } from './accept-copies.ts'

/**
 * What takes emails on in the process that accepts them: their rows are written as held by its node, and they go on from memory, without
 * being claimed and loaded. Answered by the delivery worker, if there is one in this process.
 */
export interface StraightThrough {
  /** Asked before they are written. Those that it takes are in flight from here on. Null: none. */
  reserve(emails: readonly NewEmail[]): HandOver | null
}

/** The same of copies of a broadcast. */
export interface StraightThroughCopies {
  reserveCopies(copies: readonly NewCopy[], broadcast: LoadedBroadcast): HandOver<NewCopy> | null
  /**
   * Waits until there are free slots for a batch of copies, and tells for how many. Null: none of them would go straight through, for now or because
   * it takes too long, and all of them are for the ledger. 0: another process may have free slots, and should make the batch.
   */
  slotsForCopies(signal: AbortSignal): Promise<number | null>
  /** False: whoever would make a batch of copies here now is told to leave it to another process. */
  readonly mayExpand: boolean
}

/** Emails whose delivery is reserved in this process. Ends in one of two ways. */
export interface HandOver<Item = NewEmail> {
  /** Holds the rows of the emails that are handed over. */
  readonly node: number
  /** Whether all emails are: then nobody has to look into the ledger. */
  readonly isForAll: boolean
  has(email: Item): boolean
  /** These were accepted, perhaps not all of those that are handed over. */
  committed(written: { readonly emails: readonly Item[]; readonly suppressed: readonly Suppressed[] }): void
  /** They were not, or nobody knows. */
  failed(error: unknown): void
}
