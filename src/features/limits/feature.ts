import { feature } from '../feature.ts'
import { usageEndpoints } from './usage/endpoints.ts'

export const limitsFeature = feature({
  endpoints: [...usageEndpoints],
  times: [
    { table: 'team_limits', real: ['updated_at'] },
    { table: 'delivery_holds', real: ['created_at'] },
  ],
})
