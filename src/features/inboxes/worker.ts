import type { TeamWorker } from '../../kernel/db/team-worker.ts'
import type { Services } from '../services.ts'
import { filingWorker } from './filing/worker.ts'

/** What files mail into inboxes. */
export const createFiling = (services: Services): TeamWorker => filingWorker(services)
