import { feature } from '../feature.ts'
import { suppressionEndpoints } from './endpoints.ts'

export const suppressionsFeature = feature({
  endpoints: [...suppressionEndpoints],
})
