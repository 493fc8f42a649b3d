import { feature } from '../feature.ts'
import { segmentEndpoints } from './endpoints.ts'

export const segmentsFeature = feature({
  endpoints: [...segmentEndpoints],
})
