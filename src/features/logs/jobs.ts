import { retention } from '../../kernel/jobs/retention.ts'
import { rangesOf } from '../../kernel/partitions/ranges.ts'
import { deleteLogsBefore } from './queries.ts'

export const sweepLogs = retention({
  name: 'logs.expire',
  kind: 'logs',
  ranges: rangesOf('request_logs'),
  deleteBefore: deleteLogsBefore,
})
