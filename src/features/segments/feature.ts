import { feature } from '../feature.ts'
import { segmentEndpoints } from './endpoints.ts'
import { segmentsMetrics } from './metrics.ts'

export const segmentsFeature = feature({
  endpoints: [...segmentEndpoints, segmentsMetrics],
  times: [{ table: 'segments', team: ['created_at'] }],
  liveUpdates: [{ events: /^contact\./, endpoints: ['segments'] }],
})
