import { feature, unlabelled } from '../feature.ts'
import { draftEndpoints } from './drafts/endpoints.ts'
import { sendScheduledDraft } from './drafts/schedule.ts'
import { inboxEndpoints } from './endpoints.ts'
import { unfiledMail } from './filing/pending.ts'
import { readFilingQueue } from './filing/queue-state.ts'
import { filingWorker } from './filing/worker.ts'
import { deleteInboxRemains, deleteThreads, sweepTrash } from './jobs.ts'
import { labelEndpoints } from './labels/endpoints.ts'
import { stripDeletedLabel } from './labels/jobs.ts'
import { replyEndpoints } from './replies/endpoints.ts'
import { searchEndpoints } from './search/endpoints.ts'
import { threadEndpoints } from './threads/endpoints.ts'
import { sweepViewers, viewerEndpoints } from './viewers/endpoints.ts'

export const inboxesFeature = feature({
  endpoints: [
    ...inboxEndpoints,
    ...threadEndpoints,
    ...searchEndpoints,
    ...replyEndpoints,
    ...labelEndpoints,
    ...draftEndpoints,
    ...viewerEndpoints,
  ],
  jobs: [deleteInboxRemains, deleteThreads, stripDeletedLabel, sendScheduledDraft],
  retention: [sweepTrash, sweepViewers],
  workers: [{ name: 'filing', role: 'jobs', isHoldable: false, create: filingWorker }],
  queues: [
    {
      name: 'postwren_unfiled_mail',
      help: 'Mail not yet filed into inboxes',
      labelNames: [],
      read: unlabelled(readFilingQueue),
    },
  ],
  subscriptions: [{ subscription: unfiledMail, mayMakeDue: true }],
  times: [
    { table: 'inbox_drafts', team: ['sent_at', 'send_at', 'created_at', 'updated_at'] },
    { table: 'inbox_labels', team: ['created_at', 'updated_at'] },
    { table: 'inbox_messages', team: ['sent_at', 'created_at'] },
    { table: 'inbox_subjects', team: ['sent_at'] },
    { table: 'inbox_threads', team: ['trashed_at', 'created_at'] },
    { table: 'inbox_viewers', real: ['expires_at', 'replying_until'] },
    { table: 'inboxes', team: ['last_received', 'created_at', 'updated_at'] },
  ],
  liveUpdates: [
    { events: /^inbox\.(?:created|updated|deleted)$/, endpoints: ['inboxes'] },
    { events: /^inbox\.draft\./, endpoints: ['inboxes.drafts', 'inboxes.get', 'inboxes.threads.list'] },
    { events: /^inbox\.(?:thread|email)\./, endpoints: ['inboxes.threads', 'inboxes.list', 'inboxes.get'] },
  ],
})
