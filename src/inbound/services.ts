import type { TeamStates } from '../limits/team-states.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Resolver } from '../platform/dns/resolver.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Sealer } from '../platform/secrets.ts'
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
}
