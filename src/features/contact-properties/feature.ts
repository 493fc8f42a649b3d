import { feature } from '../feature.ts'
import { contactPropertyEndpoints } from './endpoints.ts'

export const contactPropertiesFeature = feature({
  endpoints: [...contactPropertyEndpoints],
})
