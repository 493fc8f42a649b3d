import { Database, type Transaction, type TransactionLimits } from '../../src/kernel/db/database.ts'

/** As the server says it when it ends a session. */
export class ConnectionLost extends Error {
  readonly code = '57P01'
}

/** Loses its connection behind these statements of its transactions, counted from one; the commit is one of them, and does not happen. */
export class UnluckyDatabase extends Database {
  readonly #losesAt: readonly number[]
  #statements = 0

  constructor(real: Database, losesAt: readonly number[]) {
    super(real)
    this.#losesAt = losesAt
  }

  override transaction<Result>(
    work: (trx: Transaction) => Promise<Result>,
    limits?: TransactionLimits,
  ): Promise<Result> {
    const loseIfDue = () => {
      this.#statements++
      if (this.#losesAt.includes(this.#statements)) throw new ConnectionLost('The connection is lost.')
    }
    return super.transaction(async (trx) => {
      const done = await work({
        ...trx,
        query: async (statement) => {
          const rows = await trx.query(statement)
          loseIfDue()
          return rows as never
        },
      })
      loseIfDue()
      return done
    }, limits)
  }
}
