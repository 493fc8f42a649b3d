import { feature } from '../feature.ts'
import { suppressionEndpoints } from './endpoints.ts'

export const suppressionsFeature = feature({
  endpoints: [...suppressionEndpoints],
  times: [{ table: 'suppressions', team: ['created_at'] }],
  liveUpdates: [{ events: /^suppression\./, endpoints: ['suppressions'] }],
})
