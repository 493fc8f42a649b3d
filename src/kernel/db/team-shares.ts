import { availableParallelism } from 'node:os'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { OpenCount } from '../../platform/concurrency/open-count.ts'
import type { ConnectionBudget } from '../../platform/settings/connection-budget.ts'

export const MAX_QUEUE_MS = 10_000
const QUEUE_LIMITS = { waitingPerTenant: 500, waitMs: MAX_QUEUE_MS }

export const SLOW_PER_TEAM = Math.min(3, Math.max(1, Math.floor(availableParallelism() / 2)))

/**
 * How teams share the database. Of 9 pooled connections requests have 4 at most, and one team 3; jobs have 3, and one team's 2: so 2 are always left for
 * accepting, delivering and telling, whatever a tenant asks for. What takes the processor for
 * long (whole lists, searches, metrics) runs for one team on half of the cores, and for others on one more. Of quick statements 48 are on their way to the pipelines
 * at once, one team's up to 32: as many as keep three backends busy, and few enough that the next one waits a few milliseconds.
 */
export class TeamShares {
  readonly statements = new FairQueue({ slots: 48, perTenant: 32, ...QUEUE_LIMITS })
  readonly connections: FairQueue
  readonly slow = new FairQueue({ slots: SLOW_PER_TEAM + 1, perTenant: SLOW_PER_TEAM, ...QUEUE_LIMITS })
  /** Nobody waits for a job, and one that is told to come again has failed once: it waits as long as it takes. */
  readonly jobs: FairQueue
  /** Long lists that are being read: each has two batches in memory, 400 kB each or, with long items, some megabytes. */
  readonly lists = new OpenCount({ inAll: 50, perTenant: 10 })

  constructor({ requests, jobs, pooled }: Pick<ConnectionBudget, 'requests' | 'jobs' | 'pooled'>) {
    // Where there are several, one is left for the next team.
    const ofOneTeam = (slots: number, part: number) => Math.max(1, Math.min(slots - 1, Math.round(part)))
    this.connections = new FairQueue({
      slots: requests,
      perTenant: ofOneTeam(requests, (requests * 2) / 3),
      ...QUEUE_LIMITS,
    })
    this.jobs = new FairQueue({
      slots: jobs,
      perTenant: ofOneTeam(jobs, Math.max(pooled / 6, (jobs * 2) / 3)),
      waitingPerTenant: Infinity,
      waitMs: 2 ** 31 - 1,
    })
  }

  /** How many wait for a connection, whether there is one or not. */
  get waiting(): number {
    return this.connections.waiting + this.slow.waiting + this.jobs.waiting
  }
}
