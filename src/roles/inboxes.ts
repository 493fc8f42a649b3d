import { filingWorker } from '../inboxes/worker.ts'
import type { TeamWorker } from '../platform/db/team-worker.ts'
import type { Services } from '../resources/services.ts'

/** What files mail into inboxes. */
export const createFiling = (services: Services): TeamWorker => filingWorker(services)
