import type { TeamWorker } from '../../kernel/db/team-worker.ts'
import type { Services } from '../services.ts'
import { effectsWith } from './effects.ts'
import { automationWorker } from './engine/worker.ts'

/** What takes runs of automations on. */
export const createAutomations = (services: Services): TeamWorker =>
  automationWorker({ ...services, effects: effectsWith(services) })
