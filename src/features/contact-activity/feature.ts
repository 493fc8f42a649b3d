import { feature } from '../feature.ts'
import { contactActivityEndpoints } from './endpoints.ts'

export const contactActivityFeature = feature({
  endpoints: contactActivityEndpoints,
  liveUpdates: [{ events: /^(?:email|contact)\./, endpoints: ['contacts.activity'] }],
})
