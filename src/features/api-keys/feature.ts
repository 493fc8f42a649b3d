import { feature } from '../feature.ts'
import { ACTIVITY_EVENTS } from '../policies/activity.ts'
import { apiKeyEndpoints } from './endpoints.ts'

export const apiKeysFeature = feature({
  endpoints: [...apiKeyEndpoints],
  times: [{ table: 'api_keys', team: ['created_at', 'last_used_at', 'expires_at'] }],
  liveUpdates: [{ events: ACTIVITY_EVENTS, endpoints: ['api-keys.activity'] }],
})
