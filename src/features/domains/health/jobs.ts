import type { Job } from '../../../kernel/jobs/job.ts'
import { job } from '../../definitions.ts'
import type { Services } from '../../services.ts'
import { type DomainOfTeam, RETRY_AFTER_SECONDS, recheck } from '../recheck.ts'
import { checkHealth } from './check.ts'
import { takeDueHealth } from './queries.ts'

/** Running it twice finds the same in the DNS and writes the same. */
export const diagnoseDomain: Job<DomainOfTeam, Services> = job<DomainOfTeam>({
  name: 'domains.diagnose',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
  run: (of, services) => checkHealth(services, of),
})

export const recheckHealth = recheck(
  'domains.recheck-health',
  (trx, now, putOffTo, limit) => takeDueHealth(trx, { now, putOffTo, limit }),
  diagnoseDomain,
)
