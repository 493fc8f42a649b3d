import type { Disposition, DmarcReport, DmarcRow } from './dmarc-report.ts'
import type { TlsReport } from './tls-report.ts'

// What is kept of a report, made of what it says. A report can have 100,000 rows, so this is done where it was parsed, and the rest of the program gets
// no more rows than are kept.

/** The domain that a report should be about. */
export interface ReportedDomain {
  readonly name: string
  readonly returnPathHost: string
  /** The names of the keys that have signed for it. */
  readonly selectors: readonly string[]
}

export type Origin = 'us' | 'forwarded' | 'authorized' | 'unauthorized'

export interface SourceRow {
  readonly source: string
  readonly origin: Origin
  readonly disposition: Disposition
  readonly isSpfAligned: boolean
  readonly isDkimAligned: boolean
  readonly spfDomain: string
  readonly dkimDomain: string
  readonly messages: number
}

export interface TlsRow {
  readonly policyType: string
  /** Empty: it went well. */
  readonly result: string
  readonly mx: string
  readonly sessions: number
}

interface OfReport {
  readonly reportId: string
  readonly from: Date
  readonly messages: number
}

export interface FoldedDmarcReport extends OfReport {
  readonly kind: 'dmarc'
  readonly policy: Disposition | null
  readonly rows: readonly SourceRow[]
}

export interface FoldedTlsReport extends OfReport {
  readonly kind: 'tls'
  readonly rows: readonly TlsRow[]
}

export type FoldedReport = FoldedDmarcReport | FoldedTlsReport

/** Rows of a report, and of a domain and day in each table. What is beyond is counted without its address, or left out. */
export const MAX_ROWS_OF_DAY = 2_000

/** As `isIP` of `node:net`, which a function of mail does not load: 0 is no address. */
type FamilyOf = (text: string) => number

/** Null: it is about another domain. */
export function foldReport(
  report: DmarcReport | TlsReport,
  domain: ReportedDomain,
  familyOf: FamilyOf,
): FoldedReport | null {
  const { reportId, from } = report
  if (report.kind === 'dmarc') {
    if (!isAtOrBelow(report.domain, domain.name)) return null
    const messages = sum(report.rows, ({ count }) => count)
    const rows = within(sourcesOf(report, domain, familyOf), MAX_ROWS_OF_DAY)
    return { kind: 'dmarc', reportId, from, messages, policy: report.policy, rows }
  }
  const policies = report.policies.filter((policy) => isAtOrBelow(policy.domain, domain.name))
  if (policies.length === 0) return null
  const messages = sum(report.policies, ({ successes, failures }) => successes + failures)
  return { kind: 'tls', reportId, from, messages, rows: resultsOf(policies).slice(0, MAX_ROWS_OF_DAY) }
}

const isAtOrBelow = (name: string, domain: string) => name === domain || name.endsWith(`.${domain}`)

/** The rows of a report as they are kept, each combination once, the largest first. */
export function sourcesOf(
  { rows }: Pick<DmarcReport, 'rows'>,
  domain: ReportedDomain,
  familyOf: FamilyOf,
): SourceRow[] {
  const all = rows.flatMap((row): SourceRow[] =>
    familyOf(row.source) === 0
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
  return merged(all, 'messages')
}

/** Whose mail it was. Our own is known by SPF of the return path, which covers our machines, or by a signature with one of our keys. */
export function originOf(row: DmarcRow, { name, returnPathHost, selectors }: ReportedDomain): Origin {
  if (row.spf?.result === 'pass' && row.spf.domain === returnPathHost) return 'us'
  const isSigned = row.dkim.some(
    ({ domain: signer, selector, result }) => result === 'pass' && signer === name && selectors.includes(selector),
  )
  if (isSigned) return 'forwarded'
  return row.isSpfAligned || row.isDkimAligned ? 'authorized' : 'unauthorized'
}

/** What there is room for, and the rest without its addresses: a few rows more, by what became of them. */
export function within(rows: readonly SourceRow[], room: number): SourceRow[] {
  const kept = Math.max(0, room)
  const rest = rows.slice(kept).map((row) => ({ ...row, source: '', spfDomain: '', dkimDomain: '' }))
  return [...rows.slice(0, kept), ...merged(rest, 'messages')]
}

/** What succeeded by policy, and each failure, the largest first. Failures that are only in the sum are `unknown`. */
function resultsOf(policies: TlsReport['policies']): TlsRow[] {
  const all = policies.flatMap(({ policyType, successes, failures, details }): TlsRow[] => [
    { policyType, result: '', mx: '', sessions: successes },
    ...details.map(({ type, mx, count }) => ({ policyType, result: type || 'unknown', mx, sessions: count })),
    { policyType, result: 'unknown', mx: '', sessions: Math.max(0, failures - sum(details, ({ count }) => count)) },
  ])
  return merged(
    all.filter(({ sessions }) => sessions > 0),
    'sessions',
  )
}

const sum = <Item>(items: readonly Item[], countOf: (item: Item) => number) =>
  items.reduce((total, item) => total + countOf(item), 0)

/** Rows that differ in nothing but their number become one. */
function merged<Count extends string, Row extends Readonly<Record<Count, number>>>(
  rows: readonly Row[],
  count: Count,
): Row[] {
  const sums = new Map<string, Row>()
  for (const row of rows) {
    const key = JSON.stringify({ ...row, [count]: 0 })
    const known = sums.get(key)
    sums.set(key, known ? { ...row, [count]: known[count] + row[count] } : row)
  }
  return [...sums.values()].toSorted((a, b) => b[count] - a[count])
}
