import { isIP } from 'node:net'
import type { Transaction } from '../../../kernel/db/database.ts'
import type { DmarcReport, DmarcRow } from '../../../mail/domain-reports/dmarc-report.ts'
import type { DomainReport } from '../../../mail/domain-reports/read.ts'
import type { TlsReport } from '../../../mail/domain-reports/tls-report.ts'
import { groupBy } from '../../../platform/group-by.ts'
import type { DomainOfTeam } from '../recheck.ts'
import { returnPathHost } from '../records.ts'
import {
  addSources,
  addTlsResults,
  countOfDay,
  findReportedDomain,
  insertReport,
  type Origin,
  type SourceRow,
  type TlsRow,
} from './queries.ts'

const DAY_MS = 86_400_000
/** Reports come a day or two later; some reporters are late by weeks. */
const MAX_AGE_MS = 60 * DAY_MS
const MAX_AHEAD_MS = 2 * DAY_MS

/** Of a domain and day: reports that count, and rows of each table. What is beyond is left out, or counted without its address. */
export const MAX_REPORTS_OF_DAY = 500
export const MAX_ROWS_OF_DAY = 2_000

interface Reported {
  readonly report: DomainReport
  /** The domain that has sent it, which is proven. */
  readonly reporter: string
}

/** Keeps what a report says. False: it is about something else, too old, was there before, or is more than is kept. */
export async function applyDomainReport(
  trx: Transaction,
  of: DomainOfTeam,
  { report, reporter }: Reported,
): Promise<boolean> {
  const domain = await findReportedDomain(trx, of)
  const age = trx.clock.now().getTime() - report.from.getTime()
  if (!domain || !isAbout(report, domain.name) || age > MAX_AGE_MS || age < -MAX_AHEAD_MS) return false
  const day = report.from.toISOString().slice(0, 10)
  const { reports, sources, results } = await countOfDay(trx, of, day)
  if (reports >= MAX_REPORTS_OF_DAY) return false
  const { kind, reportId } = report
  const policy = report.kind === 'dmarc' ? report.policy : null
  if (!(await insertReport(trx, of, { kind, reporter, reportId, day, policy, messages: messagesOf(report) })))
    return false
  if (report.kind === 'dmarc') {
    const rows = within(sourcesOf(report, domain), MAX_ROWS_OF_DAY - sources)
    if (rows.length > 0) await addSources(trx, of, { day, reporter, rows })
  } else {
    const rows = resultsOf(report, domain.name).slice(0, Math.max(0, MAX_ROWS_OF_DAY - results))
    if (rows.length > 0) await addTlsResults(trx, of, { day, reporter, rows })
  }
  return true
}

const isAtOrBelow = (name: string, domain: string) => name === domain || name.endsWith(`.${domain}`)

const isAbout = (report: DomainReport, name: string) =>
  report.kind === 'dmarc'
    ? isAtOrBelow(report.domain, name)
    : report.policies.some((policy) => isAtOrBelow(policy.domain, name))

const messagesOf = (report: DomainReport) =>
  report.kind === 'dmarc'
    ? report.rows.reduce((sum, { count }) => sum + count, 0)
    : report.policies.reduce((sum, { successes, failures }) => sum + successes + failures, 0)

interface ReportedDomain {
  readonly name: string
  readonly return_path: string
  readonly selectors: readonly string[]
}

/** The rows of a report as they are kept, each combination once, the largest first. */
export function sourcesOf({ rows }: Pick<DmarcReport, 'rows'>, domain: ReportedDomain): SourceRow[] {
  const all = rows.flatMap((row): SourceRow[] =>
    isIP(row.source) === 0
      ? []
      : [
          {
            source: row.source.toLowerCase(),
            origin: originOf(row, domain),
            disposition: row.disposition,
            isSpfAligned: row.isSpfAligned,
            isDkimAligned: row.isDkimAligned,
            spfDomain: row.spf?.domain ?? '',
            dkimDomain: row.dkim[0]?.domain ?? '',
            messages: row.count,
          },
        ],
  )
  return merged(all)
}

/** Whose mail it was. Our own is known by SPF of the return path, which covers our machines, or by a signature with one of our keys. */
export function originOf(row: DmarcRow, domain: ReportedDomain): Origin {
  if (row.spf?.result === 'pass' && row.spf.domain === returnPathHost(domain)) return 'us'
  const isSigned = row.dkim.some(
    ({ domain: signer, selector, result }) =>
      result === 'pass' && signer === domain.name && domain.selectors.includes(selector),
  )
  if (isSigned) return 'forwarded'
  return row.isSpfAligned || row.isDkimAligned ? 'authorized' : 'unauthorized'
}

function merged(rows: readonly SourceRow[]): SourceRow[] {
  const groups = groupBy(rows, ({ messages: _, ...key }) => JSON.stringify(key))
  return [...groups.values()]
    .map((same) => ({ ...same[0]!, messages: same.reduce((sum, { messages }) => sum + messages, 0) }))
    .toSorted((a, b) => b.messages - a.messages)
}

/** What there is room for, and the rest without its addresses: a few rows more, by what became of them. */
export function within(rows: readonly SourceRow[], room: number): SourceRow[] {
  const kept = Math.max(0, room)
  const rest = rows.slice(kept).map((row) => ({ ...row, source: '', spfDomain: '', dkimDomain: '' }))
  return [...rows.slice(0, kept), ...merged(rest)]
}

/** What succeeded by policy, and each failure. Failures that are only in the sum are `unknown`. */
function resultsOf({ policies }: TlsReport, name: string): TlsRow[] {
  const all = policies
    .filter(({ domain }) => isAtOrBelow(domain, name))
    .flatMap(({ policyType, successes, failures, details }): TlsRow[] => {
      const told = details.reduce((sum, { count }) => sum + count, 0)
      return [
        { policyType, result: '', mx: '', sessions: successes },
        ...details.map(({ type, mx, count }) => ({ policyType, result: type || 'unknown', mx, sessions: count })),
        { policyType, result: 'unknown', mx: '', sessions: Math.max(0, failures - told) },
      ]
    })
    .filter(({ sessions }) => sessions > 0)
  const groups = groupBy(all, ({ sessions: _, ...key }) => JSON.stringify(key))
  return [...groups.values()].map((same) => ({
    ...same[0]!,
    sessions: same.reduce((sum, { sessions }) => sum + sessions, 0),
  }))
}
