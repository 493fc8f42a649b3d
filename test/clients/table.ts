import { isKnown } from './known.ts'
import type { Score } from './score.ts'

/** Prints what came out. True when nothing is wrong but what is known. */
export function print(scores: readonly Score[]): boolean {
  const rows = scores.map((score) => {
    const known = score.wrong.filter((one) => isKnown(score, one))
    const wrong = score.wrong.length - known.length
    return [
      score.client,
      score.version,
      score.calls,
      score.calls - score.wrong.length,
      known.length,
      wrong,
      score.notBuilt,
    ]
  })
  printTable([['client', 'version', 'calls', 'right', 'known', 'wrong', 'not built'], ...rows])
  const news = scores.flatMap((score) =>
    score.wrong
      .filter((one) => !isKnown(score, one))
      .map((one) => `${score.client} ${score.version}  ${one.call}\n    ${one.reason}`),
  )
  if (news.length > 0) console.log(`\n${news.join('\n')}`)
  return news.length === 0
}

function printTable(rows: readonly (readonly (string | number)[])[]) {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => pad(cell, widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}

const pad = (cell: string | number, width: number) =>
  typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width)
