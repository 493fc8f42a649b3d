import type { Database } from '../../src/kernel/db/database.ts'

/** As the server says it when it ends a session. */
export class ConnectionLost extends Error {
  readonly code = '57P01'
}

/** Loses its connection behind these statements of its transactions, counted from one; the commit is one of them, and does not happen. */
export function unluckyDatabase(real: Database, losesAt: readonly number[]): Database {
  let statements = 0
  const loseIfDue = () => {
    statements++
    if (losesAt.includes(statements)) throw new ConnectionLost('The connection is lost.')
  }
  const transaction: Database['transaction'] = (work, limits) =>
    real.transaction(async (trx) => {
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
  return Object.assign(real.withClock(real.clock), { transaction })
}
