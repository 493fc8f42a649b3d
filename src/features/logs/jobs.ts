import { retention } from '../../kernel/jobs/retention.ts'
import { deleteLogsBefore } from './queries.ts'

export const sweepLogs = retention({
  name: 'logs.sweep',
  kind: 'logs',
  deleteBefore: deleteLogsBefore,
})
