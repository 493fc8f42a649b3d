import { indexJob } from '../../kernel/search/job.ts'
import { forgetOldDocuments } from '../../kernel/search/old-documents.ts'
import { cleanPendingLists } from '../../kernel/search/pending-lists.ts'
import { feature } from '../feature.ts'
import { checkEndpoints } from './checks/endpoints.ts'
import { messageEndpoints } from './endpoints.ts'
import { sweepBodies, sweepEmails, sweepReceived, sweepReceivedAttachments, sweepSentAttachments } from './retention.ts'
import { sentSource } from './search.ts'

export const messagesFeature = feature({
  endpoints: [...messageEndpoints, ...checkEndpoints],
  jobs: [indexJob(sentSource, { everySeconds: 60 }), forgetOldDocuments, cleanPendingLists],
  retention: [sweepEmails, sweepBodies, sweepReceived, sweepSentAttachments, sweepReceivedAttachments],
  liveUpdates: [{ events: /^email\./, endpoints: ['messages.list'] }],
})
