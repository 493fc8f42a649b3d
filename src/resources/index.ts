import type { Endpoint } from '../http/endpoint.ts'
import type { PublicRoute } from '../http/public-route.ts'
import { sweepEvents } from '../outbox/jobs.ts'
import type { Job } from '../platform/jobs/job.ts'
import { sweepFailedJobs } from '../platform/jobs/retention.ts'
import { apiKeyEndpoints } from './api-keys/endpoints.ts'
import { contactPropertyEndpoints } from './contact-properties/endpoints.ts'
import { audienceContactEndpoints } from './contacts/audience-endpoints.ts'
import { contactEndpoints } from './contacts/endpoints.ts'
import { contactImportEndpoints } from './contacts/imports/endpoints.ts'
import { importContacts, sweepUploads } from './contacts/imports/jobs.ts'
import { membershipEndpoints } from './contacts/memberships.ts'
import { unsubscribeRoutes } from './contacts/unsubscribe-page.ts'
import { domainClaimEndpoints } from './domains/claims/endpoints.ts'
import { recheckClaims, verifyClaim } from './domains/claims/jobs.ts'
import { domainEndpoints } from './domains/endpoints.ts'
import { recheckDomains, verifyDomain } from './domains/jobs.ts'
import { attachmentEndpoints } from './emails/attachment-endpoints.ts'
import { emailEndpoints } from './emails/endpoints.ts'
import { sweepIdempotencyKeys } from './emails/jobs.ts'
import { metricsEndpoint } from './emails/metrics/endpoints.ts'
import { emailPublicRoutes } from './emails/public-routes.ts'
import { shareEndpoint } from './emails/share.ts'
import { sourceEndpoint } from './emails/source.ts'
import { logEndpoints } from './logs/endpoints.ts'
import { sweepLogs } from './logs/jobs.ts'
import { segmentEndpoints } from './segments/endpoints.ts'
import { suppressionEndpoints } from './suppressions/endpoints.ts'
import { templateEndpoints } from './templates/endpoints.ts'
import { topicEndpoints } from './topics/endpoints.ts'
import { usageEndpoints } from './usage/endpoints.ts'

/** Every operation of the API, in the order of the reference. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...emailEndpoints,
  metricsEndpoint,
  shareEndpoint,
  sourceEndpoint,
  ...attachmentEndpoints,
  ...domainEndpoints,
  ...domainClaimEndpoints,
  ...apiKeyEndpoints,
  ...templateEndpoints,
  ...topicEndpoints,
  ...contactEndpoints,
  ...membershipEndpoints,
  ...contactImportEndpoints,
  ...segmentEndpoints,
  ...contactPropertyEndpoints,
  ...suppressionEndpoints,
  ...logEndpoints,
  ...usageEndpoints,
  ...audienceContactEndpoints,
]

/** What people open without a key. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = [...emailPublicRoutes, ...unsubscribeRoutes]

/** Everything that is done in the background. */
export const JOBS: readonly Job[] = [
  verifyDomain,
  recheckDomains,
  verifyClaim,
  recheckClaims,
  importContacts,
  sweepUploads,
  sweepIdempotencyKeys,
  sweepLogs,
  sweepEvents,
  sweepFailedJobs,
]
