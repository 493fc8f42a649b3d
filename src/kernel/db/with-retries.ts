import { setTimeout as wait } from 'node:timers/promises'
import { isContention, isUnavailable } from '../../platform/database-errors.ts'

const TRY_AGAIN_MS = 250

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
