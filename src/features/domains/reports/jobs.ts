import { hours } from '../../../kernel/jobs/job.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { deleteReportsBefore } from './queries.ts'

/** A year and what is needed to compare it with the one before. */
const KEEP_DAYS = 400

export const sweepReports = retention({
  name: 'domains.sweep-reports',
  keepSeconds: () => KEEP_DAYS * hours(24),
  deleteBefore: deleteReportsBefore,
})
