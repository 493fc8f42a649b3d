import { readFilingQueue } from '../inboxes/queue-state.ts'
import { filingWorker } from '../inboxes/worker.ts'
import type { TeamWorker } from '../platform/db/team-worker.ts'
import type { Services } from '../resources/services.ts'

/** What files mail into inboxes, and the size of its queue in the metrics. */
export function createFiling(services: Services): TeamWorker {
  const { db, metrics } = services
  metrics.addQueue(
    { name: 'postwren_unfiled_mail', help: 'Mail that is not filed into inboxes yet', labelNames: [] },
    async () => {
      const { oldestDueSeconds, ...counts } = await readFilingQueue(db)
      return [{ labels: {}, counts, oldestDueSeconds }]
    },
  )
  return filingWorker(services)
}
