import { setTimeout as wait } from 'node:timers/promises'
import { isContention, isMoved, isUnavailable } from '../../platform/database-errors.ts'

const TRY_AGAIN_MS = 250
/** Each time some other row may have moved. */
const MAX_MOVES = 20

/**
 * Does work again that met a row which has moved into another partition, as a delivery does that is settled: whoever waited for it, or saw it
 * in an older snapshot, is refused (40001), also where locked rows are skipped. PostgreSQL has undone all of it, and the next snapshot knows
 * where the row is. `Connections` does so for every statement of its own and every transaction: nobody else has to think of it.
 */
export async function withMovedRows<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let moves = 1; ; moves++) {
    try {
      return await work()
    } catch (error) {
      if (!isMoved(error) || moves === MAX_MOVES) throw error
    }
  }
}

/**
 * For what must not be forgotten, least of all what the other side has answered: while the database is away, or when somebody else
 * was there first, it is tried again, as long as it is of use.
 */
export async function withRetries<Value>(
  work: () => Promise<Value>,
  { seconds, isOfUse = () => true }: { seconds: number; isOfUse?: () => boolean },
): Promise<Value> {
  const until = performance.now() + seconds * 1_000
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const mayPass = isUnavailable(error) || isContention(error)
      if (!mayPass || !isOfUse() || performance.now() > until) throw error
      await wait(TRY_AGAIN_MS)
    }
  }
}
