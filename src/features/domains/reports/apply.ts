import type { Transaction } from '../../../kernel/db/database.ts'
import { type FoldedReport, MAX_ROWS_OF_DAY, within } from '../../../mail/domain-reports/fold.ts'
import type { DomainOfTeam } from '../recheck.ts'
import { addSources, addTlsResults, countOfDay, insertReport, lockReportedDomain } from './queries.ts'

const DAY_MS = 86_400_000
/** Reports come a day or two later; some reporters are late by weeks. */
const MAX_AGE_MS = 60 * DAY_MS
const MAX_AHEAD_MS = 2 * DAY_MS

/** Of a domain, day and kind: reports that count. */
export const MAX_REPORTS_OF_DAY = 500
/** And of one reporter with all names below its own, so that nobody takes the place of all others. The largest send one or two. */
export const MAX_REPORTS_OF_REPORTER = 20

interface Reported {
  readonly report: FoldedReport
  /** The domain that has sent it, which is proven. */
  readonly reporter: string
}

/** Keeps what a report says. False: it is too old, was there before, or is more than is kept. */
export async function applyDomainReport(
  trx: Transaction,
  of: DomainOfTeam,
  { report, reporter }: Reported,
): Promise<boolean> {
  const age = trx.clock.now().getTime() - report.from.getTime()
  if (age > MAX_AGE_MS || age < -MAX_AHEAD_MS || !(await lockReportedDomain(trx, of))) return false
  const day = report.from.toISOString().slice(0, 10)
  const { kind, reportId, messages } = report
  const { reports, ofSite, sources, results } = await countOfDay(trx, of, { kind, day, reporter })
  if (ofSite >= MAX_REPORTS_OF_REPORTER || reports >= MAX_REPORTS_OF_DAY) return false
  const policy = report.kind === 'dmarc' ? report.policy : null
  if (!(await insertReport(trx, of, { kind, reporter, reportId, day, policy, messages }))) return false
  if (report.kind === 'dmarc') {
    const rows = within(report.rows, MAX_ROWS_OF_DAY - sources)
    if (rows.length > 0) await addSources(trx, of, { day, reporter, rows })
  } else {
    const rows = report.rows.slice(0, Math.max(0, MAX_ROWS_OF_DAY - results))
    if (rows.length > 0) await addTlsResults(trx, of, { day, reporter, rows })
  }
  return true
}
