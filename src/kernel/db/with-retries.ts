import { setTimeout as wait } from 'node:timers/promises'
import { isContention, isMoved, isUnavailable } from '../../platform/database-errors.ts'

const TRY_AGAIN_MS = 250
const MAX_MOVES = 3

/**
 * For a transaction that locks rows which somebody may settle meanwhile: a row that has moved into history is not found again by whoever waited for it,
 * but by the next statement that looks. It moves once, so this ends.
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
