import { feature } from '../feature.ts'
import { trackingRoutes } from './public-routes.ts'

export const trackingFeature = feature({
  publicRoutes: trackingRoutes,
})
