import { indexJob } from '../../kernel/search/job.ts'
import { feature } from '../feature.ts'
import { TEAM_IDS } from '../teams/reads.ts'
import { suppressionEndpoints } from './endpoints.ts'
import { suppressionSearch } from './search.ts'

export const suppressionsFeature = feature({
  endpoints: [...suppressionEndpoints],
  jobs: [indexJob(suppressionSearch.source, TEAM_IDS, 300)],
  times: [{ table: 'suppressions', team: ['created_at'] }],
  liveUpdates: [{ events: /^suppression\./, endpoints: ['suppressions'] }],
})
