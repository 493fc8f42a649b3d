import { effectsWith } from '../../features/automations/effects.ts'
import { automationWorker } from '../../features/automations/engine/worker.ts'
import type { Services } from '../../features/services.ts'
import type { TeamWorker } from '../../kernel/db/team-worker.ts'

/** What takes runs of automations on. */
export const createAutomations = (services: Services): TeamWorker =>
  automationWorker({ ...services, effects: effectsWith(services) })
