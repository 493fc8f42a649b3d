import { feature } from '../feature.ts'
import { metricsEndpoint } from './endpoints.ts'
import { foldMetrics } from './jobs.ts'

export const metricsFeature = feature({
  endpoints: [metricsEndpoint],
  jobs: [foldMetrics],
})
