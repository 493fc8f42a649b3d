import type { Transaction } from '../../../kernel/db/database.ts'

/** Received mail that was filed into an inbox. */
export interface FiledArrival {
  readonly inbox: string
  readonly email: string
}

/** What a feature does about received mail that was filed, in the transaction that files it. */
export type OnFiled = (trx: Transaction, team: string, arrivals: readonly FiledArrival[]) => Promise<void>
