import { type Feature, jobsOf, queueState } from '../../features/feature.ts'
import type { Database } from '../../kernel/db/database.ts'
import { readJobQueues } from '../../kernel/jobs/queue-state.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'

/**
 * The queues of the installation, as every process shows them, whatever its roles: were they shown by those who work them off, nobody
 * would see a queue that nobody works off.
 */
export function addQueueMetrics(product: Feature, metrics: Metrics, db: Database) {
  const jobs = jobsOf(product).map(({ name }) => name)
  metrics.addQueue({ name: 'postwren_jobs', help: 'Jobs', labelNames: ['name'] }, async () =>
    (await readJobQueues(db, jobs)).map(({ name, ...queue }) => queueState(queue, { name })),
  )
  for (const queue of product.queues) metrics.addQueue(queue, () => queue.read(db))
}
