import { feature } from '../feature.ts'
import { contactPropertyEndpoints } from './endpoints.ts'

export const contactPropertiesFeature = feature({
  endpoints: [...contactPropertyEndpoints],
  times: [{ table: 'contact_properties', team: ['created_at'] }],
})
