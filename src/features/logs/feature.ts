import { feature } from '../feature.ts'
import { logEndpoints } from './endpoints.ts'
import { sweepLogs } from './jobs.ts'

export const logsFeature = feature({
  endpoints: [...logEndpoints],
  retention: [sweepLogs],
  times: [{ table: 'request_logs', team: ['created_at'] }],
})
