import { countsOf, type Report } from '../../../src/app/commands/conformance/suite/report.ts'

export interface Tried {
  readonly name: string
  readonly version: string
  readonly about: string
  readonly report: Report
}

const TITLE = '## Servers'

const casesOf = ({ groups }: Report) => groups.flatMap(({ cases }) => cases)

const rowOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** How many cases of each group hold, of how many there are. */
export function sectionOf(tried: readonly Tried[]): string {
  const [first] = tried
  const groups = first!.report.groups.map(({ id, title }) =>
    rowOf([title, ...tried.map(({ report }) => cellOf(report, id))]),
  )
  const totals = tried.map(({ name, report }) => {
    const { holds, differs, not_there, skipped } = countsOf(casesOf(report))
    return `${name}: ${holds} hold, ${differs} differ, ${not_there} are about operations that are not there, ${skipped} are skipped.`
  })
  return [
    ...[
      TITLE,
      '',
      'How many cases of the suite hold, of how many there are. Made by `npm run conformance -- --write`, on loopback.',
      '',
    ],
    rowOf(['group', ...tried.map(({ name, version }) => `${name} ${version}`)]),
    rowOf(['---', ...tried.map(() => '---:')]),
    ...groups,
    rowOf(['**All**', ...tried.map(({ report }) => `**${shareOf(casesOf(report))}**`)]),
    '',
    ...totals.map((line) => `- ${line}`),
    '',
    `${tried
      .slice(1)
      .map(({ name, about }) => `${name} is ${about}`)
      .join(
        '; ',
      )}. They promise less than the whole contract: what is not there is no mistake of theirs, cases that need it are skipped, and one habit of a server, the form of its times for instance, can make many cases differ.`,
    '',
  ].join('\n')
}

function cellOf(report: Report, id: string): string {
  const group = report.groups.find((one) => one.id === id)
  return group ? shareOf(group.cases) : '–'
}

const shareOf = (cases: Report['groups'][number]['cases']) => `${countsOf(cases).holds} of ${cases.length}`

/** The page with this section in the place of the last one. */
export function withSection(page: string, section: string): string {
  const begin = page.indexOf(`${TITLE}\n`)
  if (begin < 0) return `${page.trimEnd()}\n\n${section}`
  const next = page.indexOf('\n## ', begin + TITLE.length)
  return `${page.slice(0, begin)}${section}${next < 0 ? '' : page.slice(next)}`
}
