import { feature } from '../feature.ts'
import { apiKeyEndpoints } from './endpoints.ts'

export const apiKeysFeature = feature({
  endpoints: [...apiKeyEndpoints],
  times: [{ table: 'api_keys', team: ['created_at', 'last_used_at', 'expires_at'] }],
})
