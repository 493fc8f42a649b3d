import { filingWorker } from '../../features/inboxes/filing/worker.ts'
import type { Services } from '../../features/services.ts'
import type { TeamWorker } from '../../kernel/db/team-worker.ts'

/** What files mail into inboxes. */
export const createFiling = (services: Services): TeamWorker => filingWorker(services)
