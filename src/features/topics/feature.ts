import { feature } from '../feature.ts'
import { topicEndpoints } from './endpoints.ts'

export const topicsFeature = feature({
  endpoints: [...topicEndpoints],
  times: [{ table: 'topics', team: ['created_at', 'updated_at'] }],
  liveUpdates: [{ events: /^topic\./, endpoints: ['topics'] }],
})
