import { automationWorker } from '../automations/worker.ts'
import type { TeamWorker } from '../platform/db/team-worker.ts'
import { effectsWith } from '../resources/automations/effects.ts'
import type { Services } from '../resources/services.ts'

/** What takes runs of automations on. */
export const createAutomations = (services: Services): TeamWorker =>
  automationWorker({ ...services, effects: effectsWith(services) })
