import { machine } from './machine.ts'

/** One figure to reach: what it is compared with, and what it must be and should become. */
export interface Row {
  readonly what: string
  readonly ours: string
  readonly baseline: string | null
  /** The figure that is held against the marks. */
  readonly figure: number
  readonly unit: '×' | 'MiB' | 'kB' | 's' | 'ms'
  readonly wanted: 'at least' | 'at most'
  /** Null: the row explains another one and has no mark of its own. */
  readonly must: number | null
  readonly dream: number | null
}

const HEADINGS = ['what', 'ours', 'baseline', 'figure', 'must', 'dream', 'verdict']

export function printReport(rows: readonly Row[], isForMachines: boolean) {
  if (isForMachines)
    return console.log(
      JSON.stringify(
        rows.map((row) => ({ ...row, verdict: verdict(row) })),
        null,
        2,
      ),
    )
  const table = [HEADINGS, ...rows.map(cells)]
  const widths = HEADINGS.map((_, column) => Math.max(...table.map((line) => line[column]!.length)))
  for (const line of table)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
  console.log(`\nAs Markdown, on ${machine()}:\n\n${markdownRows(rows)}`)
}

/** The rows of the table of figures in the README: what it is, how much here, against what, and the ratio (or what the figure is). */
export const markdownRows = (rows: readonly Row[]) =>
  rows.map((row) => `| ${row.what} | ${row.ours} | ${row.baseline ?? '–'} | ${figureOf(row)} |`).join('\n')

const figureOf = ({ figure, unit }: Row) => written(figure, unit)

const written = (value: number, unit: Row['unit']) => `${unit === 'MiB' ? value.toFixed(0) : value.toFixed(2)} ${unit}`

function cells(row: Row): string[] {
  const { unit, wanted, must, dream } = row
  const sign = wanted === 'at least' ? '≥' : '≤'
  return [
    row.what,
    row.ours,
    row.baseline ?? '–',
    figureOf(row),
    must === null ? '–' : `${sign} ${written(must, unit)}`,
    dream === null ? '–' : written(dream, unit),
    verdict(row),
  ]
}

function verdict({ figure, wanted, must, dream }: Row): 'dream' | 'good' | 'missed' | '–' {
  if (must === null) return '–'
  const reaches = (mark: number) => (wanted === 'at least' ? figure >= mark : figure <= mark)
  if (!reaches(must)) return 'missed'
  return dream !== null && reaches(dream) ? 'dream' : 'good'
}

export const rate = (value: number, unit: string) => `${Math.round(value).toLocaleString('en')} ${unit}`

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`
export const mebibytes = (value: number) => `${value.toFixed(0)} MiB`
