import { AutomationWorker } from '../automations/worker.ts'
import { effectsWith } from '../resources/automations/effects.ts'
import type { Services } from '../resources/services.ts'

/** What takes runs of automations on. */
export const createAutomations = (services: Services): AutomationWorker =>
  new AutomationWorker({ ...services, effects: effectsWith(services) })
