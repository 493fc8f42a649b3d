import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '../../mail/steps.ts'

/** A request that arrives meanwhile waits for this long, and for one step. */
const MAX_TURN_MS = 4

/** Does work in steps, and everything else that there is to do in between. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let begin = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - begin < MAX_TURN_MS) continue
    await nextTurn()
    begin = performance.now()
  }
}
