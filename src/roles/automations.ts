import { readAutomationQueue } from '../automations/queue-state.ts'
import { automationWorker } from '../automations/worker.ts'
import type { TeamWorker } from '../platform/db/team-worker.ts'
import { effectsWith } from '../resources/automations/effects.ts'
import type { Services } from '../resources/services.ts'

/** What takes runs of automations on, and the size of its queue in the metrics. */
export function createAutomations(services: Services): TeamWorker {
  const { db, metrics } = services
  metrics.addQueue(
    { name: 'postwren_automations', help: 'Events and runs that automations have to deal with', labelNames: [] },
    async () => {
      const { oldestDueSeconds, ...counts } = await readAutomationQueue(db)
      return [{ labels: {}, counts, oldestDueSeconds }]
    },
  )
  return automationWorker({ ...services, effects: effectsWith(services) })
}
