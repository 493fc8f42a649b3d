import type { Database } from '../../../kernel/db/database.ts'
import { hours, type Job, job } from '../../../kernel/jobs/job.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import type { Config } from '../../../platform/settings/config.ts'
import type { StsPolicies } from './policies.ts'
import { deletePoliciesBefore, takeDuePolicies, trimPolicies } from './queries.ts'

/** What nobody has written to for so long may expire. */
const USED_WITHIN_MS = 30 * 86_400_000
/** When one that could not be fetched is tried again. */
const RETRY_AFTER_MS = 3_600_000
const REFRESHES_AT_ONCE = 10
/** At most 64 names of 255 characters each. */
export const MAX_POLICIES = 50_000

interface RefreshServices {
  readonly db: Database
  readonly config: Config
  readonly tlsPolicies: Pick<StsPolicies, 'refresh'>
}

/** Fetches policies before they expire. Running it twice fetches twice. */
export const refreshPolicies: Job<object, RefreshServices> = job({
  name: 'mta-sts.refresh',
  everySeconds: hours(1),
  retryAfterSeconds: [],
  async run(_payload, { db, config, tlsPolicies, signal }) {
    if (config.DELIVERY !== 'direct' || config.MTA_STS === 'off') return
    await trimPolicies(db, MAX_POLICIES)
    for (;;) {
      signal.throwIfAborted()
      const now = db.clock.now().getTime()
      const due = await takeDuePolicies(db, {
        usedSince: new Date(now - USED_WITHIN_MS),
        putOffTo: new Date(now + RETRY_AFTER_MS),
        limit: REFRESHES_AT_ONCE,
      })
      if (due.length === 0) return
      await Promise.all(due.map((policy) => tlsPolicies.refresh(policy)))
    }
  },
})

export const sweepPolicies = retention({
  name: 'mta-sts.sweep',
  keepSeconds: () => hours(24),
  deleteBefore: deletePoliciesBefore,
})
