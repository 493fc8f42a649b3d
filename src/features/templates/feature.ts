import { feature } from '../feature.ts'
import { templateEndpoints } from './endpoints.ts'

export const templatesFeature = feature({
  endpoints: [...templateEndpoints],
})
