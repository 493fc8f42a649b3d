import { feature, unlabelled } from '../feature.ts'
import { agentEndpoints } from './agent/endpoints.ts'
import { askAgent } from './agent/jobs.ts'
import { draftEndpoints } from './drafts/endpoints.ts'
import { inboxEndpoints } from './endpoints.ts'
import { readFilingQueue } from './filing/queue-state.ts'
import { filingWorker } from './filing/worker.ts'
import { deleteInboxRemains, deleteThreads, sweepTrash } from './jobs.ts'
import { labelEndpoints } from './labels/endpoints.ts'
import { stripDeletedLabel } from './labels/jobs.ts'
import { replyEndpoints } from './replies/endpoints.ts'
import { searchEndpoints } from './search/endpoints.ts'
import { threadEndpoints } from './threads/endpoints.ts'

export const inboxesFeature = feature({
  endpoints: [
    ...inboxEndpoints,
    ...threadEndpoints,
    ...searchEndpoints,
    ...replyEndpoints,
    ...labelEndpoints,
    ...draftEndpoints,
    ...agentEndpoints,
  ],
  jobs: [deleteInboxRemains, deleteThreads, stripDeletedLabel, askAgent],
  retention: [sweepTrash],
  workers: [{ name: 'filing', role: 'jobs', isHoldable: false, create: filingWorker }],
  queues: [
    {
      name: 'postwren_unfiled_mail',
      help: 'Mail that is not filed into inboxes yet',
      labelNames: [],
      read: unlabelled(readFilingQueue),
    },
  ],
})
