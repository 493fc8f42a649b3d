import { feature } from '../feature.ts'
import { deliveryEndpoints } from './delivery/endpoints.ts'
import { operatorEndpoints } from './endpoints.ts'
import { foldUsageOfDays } from './jobs.ts'

export const operatorFeature = feature({
  endpoints: [...operatorEndpoints, ...deliveryEndpoints],
  jobs: [foldUsageOfDays],
})
