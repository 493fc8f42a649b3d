import { oneLine, tableOf } from '../command.ts'
import { type OperationReport, type ReportData, reasonText } from './report.ts'

const number = new Intl.NumberFormat('en-US')
const counted = (count: number, one: string, many = `${one}s`) => `${number.format(count)} ${count === 1 ? one : many}`

/** All in one line: what there was to compare, and what differs. */
export function verdictLine({ calls, operations, lost_writes, waiting = 0 }: ReportData): string {
  const entries = Object.entries(operations)
  const differing = entries.filter(([, { differences }]) => differences.length > 0)
  const kinds = differing.reduce((sum, [, { differences }]) => sum + differences.length, 0)
  const failed = entries.reduce((sum, [, one]) => sum + one.failed, 0)
  const found =
    kinds === 0
      ? 'no differences'
      : `${counted(kinds, 'difference')} in ${counted(differing.length, 'operation')}: ${differing.map(differencesOf).join('; ')}`
  return [
    `${counted(calls, 'call')}, ${counted(entries.length, 'operation')}, ${found}.`,
    ...(failed > 0 ? [`Our side failed ${counted(failed, 'time')}.`] : []),
    ...(waiting > 0 ? [`${counted(waiting, 'more call')} to be compared.`] : []),
    ...(lost_writes > 0
      ? [`${counted(lost_writes, 'change')} did not reach our side: later differences may follow from that.`]
      : []),
  ].join(' ')
}

const differencesOf = ([name, { differences }]: [string, OperationReport]) =>
  `${name} (${differences.map(({ path }) => path).join(', ')})`

const uncompared = ({ not_comparable }: OperationReport) =>
  Object.values(not_comparable).reduce((sum, count) => sum + count, 0)

/** Sorted so that what is to be looked at comes first. */
export const sortedOperations = ({ operations }: ReportData) =>
  Object.entries(operations).sort(
    ([nameA, a], [nameB, b]) =>
      b.differences.length - a.differences.length || b.failed - a.failed || (nameA < nameB ? -1 : 1),
  )

/** The report for a terminal. */
export function reportLines(report: ReportData): string[] {
  const operations = sortedOperations(report)
  if (operations.length === 0) return [`No calls yet for ${report.upstream}.`]
  const table = operations.map(([name, one]) => ({
    OPERATION: name,
    CALLS: String(one.calls),
    SAME: String(one.same),
    DIFFERENT: String(one.different),
    'NOT COMPARED': String(uncompared(one)),
    'OURS FAILED': String(one.failed),
  }))
  return [
    `Upstream ${report.upstream}, since ${report.started_at.slice(0, 16).replace('T', ' ')} UTC`,
    '',
    ...tableOf(table),
    ...operations.flatMap(detailLines),
    '',
    verdictLine(report),
  ].map((line) => oneLine(line))
}

function detailLines([name, one]: [string, OperationReport]): string[] {
  const lines = [
    ...one.differences.flatMap(({ path, count, examples }) => [
      `  ${path}, ${counted(count, 'time')}`,
      ...examples.map(({ theirs, ours }) => `    theirs ${theirs} · ours ${ours}`),
    ]),
    ...(one.more_differences > 0 ? [`  and ${counted(one.more_differences, 'more difference')}`] : []),
    ...(one.failed > 0 ? [`  our side failed, ${counted(one.failed, 'time')}: ${one.last_failure}`] : []),
    ...Object.entries(one.not_comparable).map(
      ([reason, count]) => `  not compared, ${counted(count, 'time')}: ${reasonText(reason)}`,
    ),
    ...(one.extras.length > 0 ? [`  only in our answers: ${one.extras.join(', ')}`] : []),
  ]
  return lines.length > 0 ? ['', name, ...lines] : []
}
