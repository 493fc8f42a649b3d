import { feature } from '../feature.ts'
import { audienceContactEndpoints } from './audience-endpoints.ts'
import { contactEndpoints } from './endpoints.ts'
import { contactImportEndpoints } from './imports/endpoints.ts'
import { importContacts, sweepUploads } from './imports/jobs.ts'
import { membershipEndpoints } from './memberships.ts'

export const contactsFeature = feature({
  endpoints: [...contactEndpoints, ...membershipEndpoints, ...contactImportEndpoints, ...audienceContactEndpoints],
  jobs: [importContacts, sweepUploads],
})
