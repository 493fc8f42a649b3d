import { feature } from '../feature.ts'
import { broadcastEndpoints } from './endpoints.ts'
import { cancelCopies, sendCopies } from './jobs.ts'

export const broadcastsFeature = feature({
  endpoints: [...broadcastEndpoints],
  jobs: [sendCopies, cancelCopies],
})
