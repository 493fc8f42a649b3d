import { feature } from '../feature.ts'
import { segmentEndpoints } from './endpoints.ts'

export const segmentsFeature = feature({
  endpoints: [...segmentEndpoints],
  times: [{ table: 'segments', team: ['created_at'] }],
  liveUpdates: [{ events: /^contact\./, endpoints: ['segments'] }],
})
