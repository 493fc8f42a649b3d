import type { TeamWorker } from '../../kernel/db/team-worker.ts'
import { effectsWith } from './effects.ts'
import { automationWorker } from './engine/worker.ts'
import type { AutomationsServices } from './services.ts'

/** What takes runs of automations on. */
export const createAutomations = (services: AutomationsServices): TeamWorker =>
  automationWorker({ ...services, effects: effectsWith(services) })
