import { sweepSandboxes } from '../../src/features/sandboxes/jobs.ts'
import { ensureRecurring } from '../../src/kernel/jobs/queries.ts'
import type { App } from './app.ts'

/** Ends the sandboxes whose time is over, and deletes what is left of those that have ended. */
export async function sweep(app: App) {
  await ensureRecurring(app.db, [sweepSandboxes])
  app.clock.advance(5)
  await app.workerFor([sweepSandboxes]).runDue()
}
