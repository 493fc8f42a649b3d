import { feature } from '../feature.ts'
import { retentionEndpoints } from './endpoints.ts'
import { dropOldPeriods } from './jobs.ts'

export const retentionFeature = feature({
  endpoints: [...retentionEndpoints],
  jobs: [dropOldPeriods],
  times: [{ table: 'team_retention', real: ['updated_at'] }],
})
