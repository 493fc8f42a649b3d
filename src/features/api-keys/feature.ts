import { feature } from '../feature.ts'
import { apiKeyEndpoints } from './endpoints.ts'

export const apiKeysFeature = feature({
  endpoints: [...apiKeyEndpoints],
})
