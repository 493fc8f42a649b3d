import { feature } from '../feature.ts'
import { eventEndpoints } from './endpoints.ts'

export const eventsFeature = feature({
  endpoints: [...eventEndpoints],
})
