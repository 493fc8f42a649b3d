import { setTimeout as wait } from 'node:timers/promises'

/** Any number, as long as it stays: ten processes may start at once, and one migrates while the others wait. */
export const MIGRATION_LOCK = 7_077_001

const POLL_EVERY_MS = 100

/**
 * Asks until it is given. A statement that waits for the lock would have a snapshot, and whoever has the lock and makes an index concurrently waits
 * for all snapshots: both would wait for each other.
 */
export async function pollLock(tryLock: () => Promise<boolean>): Promise<void> {
  while (!(await tryLock())) await wait(POLL_EVERY_MS)
}
