import type { Endpoint } from '../http/endpoint.ts'
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
import { logEndpoints } from './logs/endpoints.ts'
import { sweepLogs } from './logs/jobs.ts'
import { segmentEndpoints } from './segments/endpoints.ts'
import { suppressionEndpoints } from './suppressions/endpoints.ts'
import { topicEndpoints } from './topics/endpoints.ts'
import { usageEndpoints } from './usage/endpoints.ts'

/** Every operation of the API, in the order of the reference. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...apiKeyEndpoints,
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

/** Everything that is done in the background. */
export const JOBS: readonly Job[] = [importContacts, sweepUploads, sweepLogs, sweepEvents, sweepFailedJobs]
