import { feature } from '../feature.ts'
import { eventEndpoints } from './endpoints.ts'

export const eventsFeature = feature({
  endpoints: [...eventEndpoints],
  times: [{ table: 'event_definitions', team: ['created_at', 'updated_at'] }],
})
