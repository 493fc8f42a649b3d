import { feature } from '../feature.ts'
import { broadcastEndpoints } from './endpoints.ts'
import { cancelBroadcastJob, sendBroadcastJob } from './jobs.ts'

export const broadcastsFeature = feature({
  endpoints: [...broadcastEndpoints],
  jobs: [sendBroadcastJob, cancelBroadcastJob],
})
