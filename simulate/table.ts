import type { Summary } from './virtual/summary.ts'

/** What a way to pace mail has to reach. */
const MIN_GOODPUT = 0.9

const HEADINGS = [
  ...['strategy', 'goodput', 'worst site', 'blocks', 'escalations', 'deferred', 'days until warm', 'taken', 'lost'],
  'verdict',
]

export const isGood = ({ goodput, blocks, escalations }: Summary) =>
  goodput >= MIN_GOODPUT && blocks === 0 && escalations === 0

/** The lines of the table. */
export function tableOf(summaries: readonly Summary[]): string[] {
  const rows = [HEADINGS, ...summaries.map(cells)]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function cells(summary: Summary): string[] {
  const { strategy, goodput, worst, blocks, escalations, deferralRate, taken, lost } = summary
  return [
    strategy,
    goodput.toFixed(2),
    `${worst.goodput.toFixed(2)} ${worst.site}`,
    count(blocks),
    count(escalations),
    `${(deferralRate * 100).toFixed(1)} %`,
    warmthOf(summary),
    count(taken),
    count(lost),
    isGood(summary) ? 'good' : 'missed',
  ]
}

function warmthOf({ daysUntilWarm, neverWarm }: Summary): string {
  if (neverWarm > 0) return `never: ${neverWarm}`
  return daysUntilWarm === null ? '–' : daysUntilWarm.toFixed(1)
}

const count = (value: number) => value.toLocaleString('en')
