import { indexJob } from '../../kernel/search/job.ts'
import { feature } from '../feature.ts'
import { audienceContactEndpoints } from './audience-endpoints.ts'
import { contactEndpoints } from './endpoints.ts'
import { contactImportEndpoints } from './imports/endpoints.ts'
import { importContacts, sweepRowErrors, sweepUploads } from './imports/jobs.ts'
import { membershipEndpoints } from './memberships.ts'
import { contactSearch } from './search.ts'

export const contactsFeature = feature({
  endpoints: [...contactEndpoints, ...membershipEndpoints, ...contactImportEndpoints, ...audienceContactEndpoints],
  jobs: [indexJob(contactSearch.source), importContacts, sweepUploads, sweepRowErrors],
  times: [
    { table: 'contact_imports', team: ['created_at', 'completed_at'] },
    { table: 'contact_import_pieces', real: ['created_at'] },
    { table: 'contact_segments', team: ['created_at'] },
    { table: 'contact_topics', team: ['updated_at'] },
    { table: 'contacts', team: ['created_at', 'updated_at'] },
  ],
  liveUpdates: [{ events: /^contact\./, endpoints: ['contacts'] }],
})
