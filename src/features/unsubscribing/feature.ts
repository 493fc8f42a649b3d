import { feature } from '../feature.ts'
import { unsubscribeRoutes } from './public-routes.ts'

export const unsubscribingFeature = feature({
  publicRoutes: unsubscribeRoutes,
})
