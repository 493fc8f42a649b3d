import { feature } from '../feature.ts'
import { topicEndpoints } from './endpoints.ts'

export const topicsFeature = feature({
  endpoints: [...topicEndpoints],
})
