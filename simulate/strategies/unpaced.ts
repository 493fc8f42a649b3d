import { doubling, isBounced, isTaken } from './outcome.ts'
import type { Strategy } from './pacer.ts'

/** What a world is like for who asks nobody: the figure that every pacing is to be better than. */
export const unpaced: Strategy = {
  name: 'unpaced',
  about:
    'Twenty connections, and as fast as they go. A message that was deferred comes again after 5, 10, 20 … minutes.',
  create: () => ({
    concurrency: () => ({ connections: 20, messagesPerConnection: 100 }),
    waitMs: () => 0,
    answered: (_, answer) => (isTaken(answer) || isBounced(answer) ? null : doubling(5, answer.attempts)),
  }),
}
