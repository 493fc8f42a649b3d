import type { Series } from './chart.tsx'
import { texts } from './texts.ts'

interface ChartTableProps {
  readonly title: string
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  readonly text: (value: number | null | undefined) => string
}

/** The values of a chart for those who do not see lines. In a box: a table does not shrink, hidden or not. */
export function ChartTable({ title, labels, series, text }: ChartTableProps) {
  const columns = series.flatMap(({ name, values, previous }) => [
    { name, values },
    ...(previous ? [{ name: texts.chart.previousColumn(name), values: previous }] : []),
  ])
  return (
    <div className="hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.chart.time}</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a place in time; an hour comes twice when summer time ends
            <tr key={index}>
              <th scope="row">{label}</th>
              {columns.map(({ name, values }) => (
                <td key={name}>{text(values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
