import { feature } from '../feature.ts'
import { checkEndpoints } from './checks/endpoints.ts'
import { messageEndpoints } from './endpoints.ts'

export const messagesFeature = feature({
  endpoints: [...messageEndpoints, ...checkEndpoints],
  liveUpdates: [{ events: /^email\./, endpoints: ['messages.list'] }],
})
