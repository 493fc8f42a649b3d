import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import type { Resolver } from '../../../adapters/dns/resolver.ts'
import type { Database } from '../../../kernel/db/database.ts'
import type { TakesJobs } from '../../../kernel/jobs/straight-through.ts'
import type { Sealer } from '../../../kernel/secrets.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/observability/log.ts'
import type { Metrics } from '../../../platform/observability/metrics.ts'
import type { Config } from '../../../platform/settings/config.ts'
import type { TeamStates } from '../../limits/team-states.ts'
import type { DomainReports } from './domain-report-job.ts'
import type { LinkDisclosures } from './read.ts'

/** What taking mail in and reading it need of the services of a process. */
export interface InboundServices {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly sealer: Sealer
  readonly blobs: BlobStore
  readonly resolver: Resolver
  readonly log: Log
  readonly metrics: Metrics
  readonly teamStates: TeamStates
  readonly disclosures: LinkDisclosures
  readonly domainReports: DomainReports
  readonly straightJobs: TakesJobs
}
