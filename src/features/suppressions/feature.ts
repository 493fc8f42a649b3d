import { indexJob } from '../../kernel/search/job.ts'
import { feature } from '../feature.ts'
import { suppressionEndpoints } from './endpoints.ts'
import { suppressionSearch } from './search.ts'

export const suppressionsFeature = feature({
  endpoints: [...suppressionEndpoints],
  jobs: [indexJob(suppressionSearch.source, { everySeconds: 300 })],
  times: [{ table: 'suppressions', team: ['created_at'] }],
  liveUpdates: [{ events: /^suppression\./, endpoints: ['suppressions'] }],
})
