import { readAutomationQueue } from '../automations/queue-state.ts'
import { AutomationWorker } from '../automations/worker.ts'
import { effectsWith } from '../resources/automations/effects.ts'
import type { Services } from '../resources/services.ts'

/** What takes runs of automations on, and the size of its queue in the metrics. */
export function createAutomations(services: Services): AutomationWorker {
  const { db, metrics } = services
  metrics.addQueue(
    { name: 'postwren_automations', help: 'Events and runs that automations have to deal with', labelNames: [] },
    async () => {
      const { oldestDueSeconds, ...counts } = await readAutomationQueue(db)
      return [{ labels: {}, counts, oldestDueSeconds }]
    },
  )
  return new AutomationWorker({ ...services, effects: effectsWith(services) })
}
