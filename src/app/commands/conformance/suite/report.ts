import { oneLine, tableOf } from '../../command.ts'
import { type CaseReport, type GroupReport, RESULTS, type Result } from './case.ts'
import type { LeftBehind } from './leftovers.ts'
import { OPERATIONS } from './operations.ts'

export interface Report {
  readonly url: string
  readonly groups: readonly GroupReport[]
  readonly leftBehind: readonly LeftBehind[]
  /** What the contract cannot delete. */
  readonly stays: { readonly emails: number; readonly broadcasts: number }
  readonly requests: number
  readonly isStopped: boolean
}

const casesOf = ({ groups }: Pick<Report, 'groups'>) => groups.flatMap(({ cases }) => cases)

const countOf = (cases: readonly CaseReport[], result: Result) => cases.filter((one) => one.result === result).length

/** What is in a private beta may be missing. */
const isAllowed = ({ result, operation }: CaseReport) =>
  result === 'holds' ||
  result === 'skipped' ||
  (result === 'not_there' && operation !== null && OPERATIONS[operation].isBeta === true)

/** Everything that was tried holds. */
export const isKept = (report: Report) =>
  !report.isStopped && report.leftBehind.length === 0 && casesOf(report).every(isAllowed)

/** For programs: the names of the API. */
export function jsonOf(report: Report): object {
  const totals = Object.fromEntries(RESULTS.map((result) => [result, countOf(casesOf(report), result)]))
  return {
    object: 'conformance',
    url: report.url,
    ok: isKept(report),
    stopped: report.isStopped,
    requests: report.requests,
    stays: report.stays,
    totals,
    groups: report.groups.map(({ id, title, cases }) => ({ id, title, ...countsOf(cases), cases })),
    left_behind: report.leftBehind,
  }
}

export const countsOf = (cases: readonly CaseReport[]) =>
  Object.fromEntries(RESULTS.map((result) => [result, countOf(cases, result)])) as Record<Result, number>

/** For people: a table of groups, then every difference, then why something was skipped. */
export function linesOf(report: Report): string[] {
  const rows = [...report.groups.map(({ title, cases }) => rowOf(title, cases)), rowOf('All', casesOf(report))]
  return [
    ...tableOf(rows),
    ...section(
      'Differences',
      casesOf(report)
        .filter(({ result }) => result === 'differs')
        .flatMap(differenceLines),
    ),
    ...section('Not there', missingLines(report)),
    ...section('Skipped', skippedLines(report)),
    ...section(
      'Left behind',
      report.leftBehind.map(({ what, why }) => `  ${oneLine(`${what}: ${why}`)}`),
    ),
    '',
    conclusionOf(report),
  ]
}

function rowOf(title: string, cases: readonly CaseReport[]) {
  const counts = countsOf(cases)
  return {
    group: title,
    holds: String(counts.holds),
    differs: String(counts.differs),
    'not there': String(counts.not_there),
    skipped: String(counts.skipped),
  }
}

const section = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : ['', title, ...lines])

const differenceLines = ({ id, title, differences }: CaseReport) => [
  `  ${id}: ${title}`,
  ...differences.flatMap(({ request, expected, actual }) => [
    `    ${oneLine(request)}`,
    `      expected  ${oneLine(expected)}`,
    `      actual    ${oneLine(actual)}`,
  ]),
]

function missingLines(report: Report): string[] {
  const missing = casesOf(report).filter(({ result }) => result === 'not_there')
  const operations = [...new Set(missing.map(({ operation }) => operation!))]
  return operations.map((id) => `  ${id}${OPERATIONS[id].isBeta ? ' (beta)' : ''}`)
}

/** What has one reason is said once. */
function skippedLines(report: Report): string[] {
  const byReason = new Map<string, string[]>()
  for (const { id, result, reason = '' } of casesOf(report))
    if (result === 'skipped') byReason.set(reason, [...(byReason.get(reason) ?? []), id])
  return [...byReason].map(([reason, ids]) => `  ${oneLine(reason)}: ${ids.join(', ')}`)
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function conclusionOf(report: Report): string {
  const { holds, differs, not_there: notThere, skipped } = countsOf(casesOf(report))
  const { emails, broadcasts } = report.stays
  const made = `${report.requests} requests. What was sent stays: ${counted(emails, 'email')} and ${counted(broadcasts, 'broadcast')}, all to test addresses.`
  if (report.isStopped) return `Stopped. ${made}`
  if (isKept(report)) return `Everything that was tried holds: ${counted(holds, 'case')}, ${skipped} skipped. ${made}`
  return `Of ${counted(holds + differs + notThere + skipped, 'case')} ${holds} hold, ${differs} differ, ${notThere} are about operations that are not there, ${skipped} are skipped. ${made}`
}
