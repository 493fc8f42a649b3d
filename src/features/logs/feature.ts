import { indexJob } from '../../kernel/search/job.ts'
import { feature } from '../feature.ts'
import { logEndpoints } from './endpoints.ts'
import { sweepLogs } from './jobs.ts'
import { logSearch } from './search.ts'

export const logsFeature = feature({
  endpoints: [...logEndpoints],
  retention: [sweepLogs],
  jobs: [indexJob(logSearch.source, { everySeconds: 60 })],
  times: [{ table: 'request_logs', team: ['created_at'] }],
})
