import { feature } from '../feature.ts'
import { retentionEndpoints } from './endpoints.ts'

export const retentionFeature = feature({
  endpoints: [...retentionEndpoints],
  times: [{ table: 'team_retention', real: ['updated_at'] }],
})
