import { job } from '../definitions.ts'
import { deleteEnded, endSandboxes } from '../teams/index.ts'
import { closeExpired } from './simulation/sandboxes.ts'

/**
 * Ends sandboxes whose time is over, and deletes what is left of all that have ended. Running twice is harmless: each goes on with what
 * the other has left.
 */
export const sweepSandboxes = job({
  name: 'sandboxes.sweep',
  everySeconds: 5,
  retryAfterSeconds: [],
  async run(_payload, { db, signal }) {
    while (await endSandboxes(db, closeExpired)) signal.throwIfAborted()
    await deleteEnded(db, signal)
  },
})
