import { feature } from '../feature.ts'
import { templateEndpoints } from './endpoints.ts'

export const templatesFeature = feature({
  endpoints: [...templateEndpoints],
  times: [
    { table: 'template_variables', team: ['created_at', 'updated_at'] },
    { table: 'template_versions', team: ['created_at', 'published_at'] },
    { table: 'templates', team: ['published_at', 'created_at', 'updated_at'] },
  ],
})
