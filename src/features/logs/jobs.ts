import { retention } from '../../kernel/jobs/retention.ts'
import { deleteLogsBefore } from './queries.ts'

export const sweepLogs = retention({
  name: 'logs.expire',
  keepSeconds: (config) => config.LOG_RETENTION,
  deleteBefore: deleteLogsBefore,
})
