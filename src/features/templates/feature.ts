import { indexJob } from '../../kernel/search/job.ts'
import { feature } from '../feature.ts'
import { templateEndpoints } from './endpoints.ts'
import { templateSearch } from './search.ts'

export const templatesFeature = feature({
  endpoints: [...templateEndpoints],
  jobs: [indexJob(templateSearch.source, { everySeconds: 300 })],
  times: [
    { table: 'template_variables', team: ['created_at', 'updated_at'] },
    { table: 'template_versions', team: ['created_at', 'published_at'] },
    { table: 'templates', team: ['published_at', 'created_at', 'updated_at'] },
  ],
})
