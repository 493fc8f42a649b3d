import { feature } from '../feature.ts'
import { operatorEndpoints } from './endpoints.ts'
import { foldUsageOfDays } from './jobs.ts'

export const operatorFeature = feature({
  endpoints: [...operatorEndpoints],
  jobs: [foldUsageOfDays],
})
