import { sweepAuditEvents } from '../kernel/audit/jobs.ts'
import { sweepBlobs } from '../kernel/blobs/loose-blobs.ts'
import type { ContractsOf } from '../kernel/http/contract.ts'
import type { Endpoint } from '../kernel/http/endpoint.ts'
import type { PublicRoute } from '../kernel/http/public-route.ts'
import type { Job } from '../kernel/jobs/job.ts'
import { sweepFailedJobs } from '../kernel/jobs/retention.ts'
import { sweepEvents } from '../kernel/outbox/jobs.ts'
import { apiKeyEndpoints } from './api-keys/endpoints.ts'
import { auditEventEndpoints } from './audit/endpoints.ts'
import { automationEndpoints } from './automations/endpoints.ts'
import { cancelStopped, deleteRuns, sweepAutomationRuns } from './automations/engine/jobs.ts'
import { automationExtraEndpoints } from './automations/extra-endpoints.ts'
import { automationRunEndpoints } from './automations/run-endpoints.ts'
import { broadcastEndpoints } from './broadcasts/endpoints.ts'
import { cancelCopies, sendCopies } from './broadcasts/jobs.ts'
import { contactPropertyEndpoints } from './contact-properties/endpoints.ts'
import { audienceContactEndpoints } from './contacts/audience-endpoints.ts'
import { contactEndpoints } from './contacts/endpoints.ts'
import { contactImportEndpoints } from './contacts/imports/endpoints.ts'
import { importContacts, sweepUploads } from './contacts/imports/jobs.ts'
import { membershipEndpoints } from './contacts/memberships.ts'
import { domainClaimEndpoints } from './domains/claims/endpoints.ts'
import { recheckClaims, verifyClaim } from './domains/claims/jobs.ts'
import { domainEndpoints } from './domains/endpoints.ts'
import { recheckDomains, verifyDomain } from './domains/jobs.ts'
import { attachmentEndpoints } from './emails/attachment-endpoints.ts'
import { sweepDestinationPauses, takeUpMail } from './emails/delivery/jobs.ts'
import { emailEndpoints } from './emails/endpoints.ts'
import { sweepIdempotencyKeys } from './emails/jobs.ts'
import { emailPublicRoutes } from './emails/public-routes.ts'
import { scheduleEndpoint } from './emails/schedule.ts'
import { shareEndpoint } from './emails/share.ts'
import { sourceEndpoint } from './emails/source.ts'
import { eventEndpoints } from './events/endpoints.ts'
import { receivedAttachmentEndpoints } from './inbound/attachment-endpoints.ts'
import { receivedEmailEndpoints } from './inbound/endpoints.ts'
import { readComplaint } from './inbound/intake/complaint-job.ts'
import { authenticateAgain, readArrived, readReport } from './inbound/intake/jobs.ts'
import { receivedPublicRoutes } from './inbound/public-routes.ts'
import { agentEndpoints } from './inboxes/agent/endpoints.ts'
import { askAgent } from './inboxes/agent/jobs.ts'
import { draftEndpoints } from './inboxes/drafts/endpoints.ts'
import { inboxEndpoints } from './inboxes/endpoints.ts'
import { deleteInboxRemains, deleteThreads, sweepTrash } from './inboxes/jobs.ts'
import { labelEndpoints } from './inboxes/labels/endpoints.ts'
import { stripDeletedLabel } from './inboxes/labels/jobs.ts'
import { replyEndpoints } from './inboxes/replies/endpoints.ts'
import { searchEndpoints } from './inboxes/search/endpoints.ts'
import { threadEndpoints } from './inboxes/threads/endpoints.ts'
import { usageEndpoints } from './limits/usage/endpoints.ts'
import { logEndpoints } from './logs/endpoints.ts'
import { sweepLogs } from './logs/jobs.ts'
import { checkEndpoints } from './messages/checks/endpoints.ts'
import { messageEndpoints } from './messages/endpoints.ts'
import { metricsEndpoint } from './metrics/endpoints.ts'
import { foldMetrics } from './metrics/jobs.ts'
import { oauthGrantEndpoints } from './oauth/granted/endpoints.ts'
import { renewSigningKeys, sweepOAuthClients, sweepOAuthCodes, sweepOAuthTokens } from './oauth/jobs.ts'
import { operatorEndpoints } from './operator/endpoints.ts'
import { foldUsageOfDays } from './operator/jobs.ts'
import { accountEndpoints } from './people/account/endpoints.ts'
import { invitationEndpoints } from './people/invitations/endpoints.ts'
import { sweepInvitations } from './people/invitations/jobs.ts'
import { mailLink, sweepSignIns } from './people/jobs.ts'
import { memberEndpoints } from './people/members/endpoints.ts'
import { clockEndpoints } from './sandboxes/clock/endpoints.ts'
import { sandboxEndpoints } from './sandboxes/endpoints.ts'
import { sweepSandboxes } from './sandboxes/jobs.ts'
import { scenarioEndpoints } from './sandboxes/scenario/endpoints.ts'
import { actLater } from './sandboxes/scenario/jobs.ts'
import { segmentEndpoints } from './segments/endpoints.ts'
import type { Services } from './services.ts'
import { suppressionEndpoints } from './suppressions/endpoints.ts'
import { teamEndpoints } from './teams/endpoints.ts'
import { deleteTeam } from './teams/jobs.ts'
import { templateEndpoints } from './templates/endpoints.ts'
import { topicEndpoints } from './topics/endpoints.ts'
import { trackingRoutes } from './tracking/public-routes.ts'
import { unsubscribeRoutes } from './unsubscribing/public-routes.ts'
import { sweepWebhookAttempts, sweepWebhookDeliveries } from './webhooks/delivery/jobs.ts'
import { webhookEndpoints } from './webhooks/endpoints.ts'
import { webhookEventEndpoints } from './webhooks/events/endpoints.ts'

const endpoints = [
  ...emailEndpoints,
  metricsEndpoint,
  scheduleEndpoint,
  shareEndpoint,
  sourceEndpoint,
  ...attachmentEndpoints,
  ...receivedEmailEndpoints,
  ...receivedAttachmentEndpoints,
  ...inboxEndpoints,
  ...threadEndpoints,
  ...searchEndpoints,
  ...replyEndpoints,
  ...labelEndpoints,
  ...draftEndpoints,
  ...agentEndpoints,
  ...domainEndpoints,
  ...domainClaimEndpoints,
  ...apiKeyEndpoints,
  ...oauthGrantEndpoints,
  ...templateEndpoints,
  ...broadcastEndpoints,
  ...topicEndpoints,
  ...contactEndpoints,
  ...membershipEndpoints,
  ...contactImportEndpoints,
  ...segmentEndpoints,
  ...contactPropertyEndpoints,
  ...suppressionEndpoints,
  ...webhookEndpoints,
  ...webhookEventEndpoints,
  ...automationEndpoints,
  ...automationRunEndpoints,
  ...automationExtraEndpoints,
  ...eventEndpoints,
  ...logEndpoints,
  ...auditEventEndpoints,
  ...usageEndpoints,
  ...operatorEndpoints,
  ...teamEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
  ...accountEndpoints,
  ...messageEndpoints,
  ...checkEndpoints,
  ...sandboxEndpoints,
  ...clockEndpoints,
  ...scenarioEndpoints,
  ...audienceContactEndpoints,
]

/** Every operation of the API, in the order of the reference. */
export const ENDPOINTS: readonly Endpoint<Services>[] = endpoints

/** What each of them takes and answers, by its id: for programs that call them. */
export type Contracts = ContractsOf<(typeof endpoints)[number]>

/** What people open without a key. */
export const PUBLIC_ROUTES: readonly PublicRoute<Services>[] = [
  ...emailPublicRoutes,
  ...receivedPublicRoutes,
  ...trackingRoutes,
  ...unsubscribeRoutes,
]

/** Everything that is done in the background. */
export const JOBS: readonly Job<object, Services>[] = [
  verifyDomain,
  recheckDomains,
  verifyClaim,
  recheckClaims,
  sendCopies,
  cancelCopies,
  importContacts,
  sweepUploads,
  readArrived,
  authenticateAgain,
  readReport,
  readComplaint,
  foldMetrics,
  foldUsageOfDays,
  takeUpMail,
  cancelStopped,
  deleteRuns,
  deleteInboxRemains,
  deleteThreads,
  sweepTrash,
  deleteTeam,
  sweepSandboxes,
  sweepInvitations,
  sweepIdempotencyKeys,
  sweepDestinationPauses,
  sweepLogs,
  sweepAuditEvents,
  sweepEvents,
  sweepWebhookDeliveries,
  sweepWebhookAttempts,
  sweepAutomationRuns,
  sweepFailedJobs,
  stripDeletedLabel,
  askAgent,
  sweepBlobs,
  actLater,
  mailLink,
  sweepSignIns,
  renewSigningKeys,
  sweepOAuthCodes,
  sweepOAuthTokens,
  sweepOAuthClients,
]

/** What is kept for so long by the time of its team. */
export const RETENTIONS = [
  sweepTrash,
  sweepIdempotencyKeys,
  sweepLogs,
  sweepAuditEvents,
  sweepEvents,
  sweepWebhookDeliveries,
  sweepWebhookAttempts,
  sweepAutomationRuns,
]
