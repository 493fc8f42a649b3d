import type { Transaction } from '../../../kernel/db/database.ts'
import type { InboxRef } from './store.ts'

/** Received mail that was filed into an inbox. */
export interface FiledArrival {
  readonly inbox: string
  readonly email: string
}

/** What a feature does about the inboxes of others. */
export interface InboxHooks {
  /** After received mail was filed, in the transaction that files it. */
  onFiled(trx: Transaction, team: string, arrivals: readonly FiledArrival[]): Promise<void>
  /** Deletes some of what it has kept for a deleted inbox. False: nothing is left. */
  deleteRemains(trx: Transaction, ref: InboxRef, limit: number): Promise<boolean>
}
