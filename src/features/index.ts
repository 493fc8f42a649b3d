import { sweepBlobs } from '../kernel/blobs/loose-blobs.ts'
import type { ContractsOf } from '../kernel/http/contract.ts'
import type { Endpoint } from '../kernel/http/endpoint.ts'
import { sweepIdempotencyKeys } from '../kernel/idempotency/jobs.ts'
import { dueJobs } from '../kernel/jobs/due-moments.ts'
import { sweepFailedJobs } from '../kernel/jobs/retention.ts'
import { sweepEvents } from '../kernel/outbox/jobs.ts'
import { makePartitionsAhead } from '../kernel/partitions/jobs.ts'
import { SEALED_DIGEST_KEY } from '../kernel/secrets.ts'
import { apiKeysFeature } from './api-keys/feature.ts'
import { approvalsFeature } from './approvals/feature.ts'
import { auditFeature } from './audit/feature.ts'
import { automationsFeature } from './automations/feature.ts'
import { broadcastsFeature } from './broadcasts/feature.ts'
import { cellsFeature } from './cells/feature.ts'
import { contactActivityFeature } from './contact-activity/feature.ts'
import { contactPropertiesFeature } from './contact-properties/feature.ts'
import { contactsFeature } from './contacts/feature.ts'
import { domainsFeature } from './domains/feature.ts'
import { editorFeature } from './editor/feature.ts'
import { emailsFeature } from './emails/feature.ts'
import { eventsFeature } from './events/feature.ts'
import { combine, type Feature, feature } from './feature.ts'
import { inboundFeature } from './inbound/feature.ts'
import { inboxAgentFeature } from './inboxes/agent/feature.ts'
import { inboxesFeature } from './inboxes/feature.ts'
import { limitsFeature } from './limits/feature.ts'
import { logsFeature } from './logs/feature.ts'
import { messagesFeature } from './messages/feature.ts'
import { metricsFeature } from './metrics/feature.ts'
import { oauthFeature } from './oauth/feature.ts'
import { operatorFeature } from './operator/feature.ts'
import { peopleFeature } from './people/feature.ts'
import { personalDataFeature } from './personal-data/feature.ts'
import { policiesFeature } from './policies/feature.ts'
import { retentionFeature } from './retention/feature.ts'
import { sandboxesFeature } from './sandboxes/feature.ts'
import { segmentsFeature } from './segments/feature.ts'
import type { Services } from './services.ts'
import { suppressionsFeature } from './suppressions/feature.ts'
import { teamsFeature } from './teams/feature.ts'
import { templatesFeature } from './templates/feature.ts'
import { tlsFeature } from './tls/feature.ts'
import { topicsFeature } from './topics/feature.ts'
import { trackingFeature } from './tracking/feature.ts'
import { unsubscribingFeature } from './unsubscribing/feature.ts'
import { webhooksFeature } from './webhooks/feature.ts'

/** What the kernel's own tables need. */
const kernel = feature({
  jobs: [sweepBlobs, sweepFailedJobs, makePartitionsAhead],
  retention: [sweepEvents, sweepIdempotencyKeys],
  dueMoments: [dueJobs],
  sealedColumns: [SEALED_DIGEST_KEY],
  times: [
    { table: 'idempotency_keys', team: ['created_at'] },
    { table: 'jobs', due: ['run_at'], real: ['failed_at', 'created_at'] },
    { table: 'outbox', team: ['created_at'] },
  ],
})

const features = [
  emailsFeature,
  // Statements that move a clock lock what is due in the order of this list: jobs behind deliveries.
  kernel,
  metricsFeature,
  inboundFeature,
  inboxesFeature,
  inboxAgentFeature,
  domainsFeature,
  apiKeysFeature,
  approvalsFeature,
  policiesFeature,
  oauthFeature,
  templatesFeature,
  broadcastsFeature,
  editorFeature,
  topicsFeature,
  contactsFeature,
  contactActivityFeature,
  segmentsFeature,
  contactPropertiesFeature,
  suppressionsFeature,
  webhooksFeature,
  automationsFeature,
  eventsFeature,
  logsFeature,
  auditFeature,
  limitsFeature,
  operatorFeature,
  teamsFeature,
  retentionFeature,
  peopleFeature,
  messagesFeature,
  personalDataFeature,
  sandboxesFeature,
  trackingFeature,
  unsubscribingFeature,
  cellsFeature,
  tlsFeature,
] as const

/** All that the program can do, in the order of the API's reference. A new feature is its folder and a line here. */
export const FEATURES: readonly Feature[] = features

/** All of them as one. */
export const PRODUCT: Feature = combine(FEATURES)

/** Every operation of the API. */
export const ENDPOINTS: readonly Endpoint<Services>[] = PRODUCT.endpoints

/** What each of them takes and answers, by its id: for programs that call them. */
export type Contracts = ContractsOf<(typeof features)[number]['endpoints'][number]>
