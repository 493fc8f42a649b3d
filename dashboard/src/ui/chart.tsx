import { useLayoutEffect, useRef, useState } from 'react'
import { formatNumber } from './locale.ts'
import './chart.css'
import { texts } from './texts.ts'

export interface Series {
  readonly name: string
  readonly tone: 'good' | 'bad' | 'warn' | 'busy' | 'plain'
  /** Null where there is nothing to say. */
  readonly values: readonly (number | null)[]
}

interface ChartProps {
  readonly title: string
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  readonly unit?: string
}

const HEIGHT = 220
const LEFT = 44
const TOP = 12
const BOTTOM = 26

/** The smallest round number that is not below the largest value, and whose quarters are whole: they are written at the grid. */
function ceilingOf(most: number): number {
  const small = [4, 8, 12].find((value) => value >= most)
  if (small) return small
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 1.2, 1.6, 2, 4, 6, 8, 10].map((step) => step * power).find((value) => value >= most)!
}

/** Lines over time. The numbers are in a table behind it for those who do not see lines. */
export function Chart({ title, labels, series, unit = '' }: ChartProps) {
  const [width, setWidth] = useState(640)
  const [at, setAt] = useState<number | null>(null)
  const box = useRef<HTMLElement>(null)
  // Before the first paint: a chart that is wider than a telephone would push the page aside for a moment.
  useLayoutEffect(() => {
    const measure = () => setWidth(Math.max(240, box.current!.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  const most = ceilingOf(Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)), 0))
  const x = (index: number) => LEFT + (index * (width - LEFT - 12)) / Math.max(1, labels.length - 1)
  const y = (value: number) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM)
  const every = Math.ceil(labels.length / Math.max(2, Math.floor(width / 90)))
  const shown = at ?? labels.length - 1
  return (
    <figure className="chart" ref={box}>
      <figcaption>
        <strong>{title}</strong>
        <ul>
          {series.map(({ name, tone, values }) => (
            <li key={name} className={tone}>
              {name} <b>{values[shown] == null ? '–' : format(values[shown], unit)}</b>
            </li>
          ))}
          <li className="when">{labels[shown]}</li>
        </ul>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={width}
        height={HEIGHT}
        aria-hidden="true"
        onPointerLeave={() => setAt(null)}
        onPointerMove={(event) => {
          const left = event.clientX - event.currentTarget.getBoundingClientRect().left
          const index = Math.round(((left - LEFT) / Math.max(1, width - LEFT - 12)) * (labels.length - 1))
          setAt(Math.min(labels.length - 1, Math.max(0, index)))
        }}
      >
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <g key={part}>
            <line className="grid" x1={LEFT} x2={width - 12} y1={y(most * part)} y2={y(most * part)} />
            <text className="tick" x={LEFT - 8} y={y(most * part) + 4} textAnchor="end">
              {format(most * part, unit)}
            </text>
          </g>
        ))}
        {labels.map((label, index) =>
          index % every === 0 ? (
            <text
              key={label}
              className="tick"
              x={x(index)}
              y={HEIGHT - 6}
              textAnchor={index === 0 ? 'start' : index === labels.length - 1 ? 'end' : 'middle'}
            >
              {label}
            </text>
          ) : null,
        )}
        {at !== null && <line className="cursor" x1={x(at)} x2={x(at)} y1={TOP} y2={HEIGHT - BOTTOM} />}
        {series.map(({ name, tone, values }) => (
          <g key={name} className={`line ${tone}`}>
            <path d={pathOf(values, x, y)} />
            {values.map((value, index) =>
              value !== null && (index === at || isAlone(values, index)) ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: a place in time
                <circle key={index} cx={x(index)} cy={y(value)} r={3.5} />
              ) : null,
            )}
          </g>
        ))}
      </svg>
      {/* In a box: a table does not shrink, hidden or not. */}
      <div className="hidden">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th>{texts.time}</th>
              {series.map(({ name }) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, index) => (
              <tr key={label}>
                <th>{label}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{values[index]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

/** A line for each run of values; where there is none, there is no line. */
const pathOf = (values: Series['values'], x: (index: number) => number, y: (value: number) => number) =>
  values
    .map((value, index) =>
      value === null ? '' : `${(values[index - 1] ?? null) === null ? 'M' : 'L'}${x(index)},${y(value)}`,
    )
    .join('')

const isAlone = (values: Series['values'], index: number) =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null

const format = (value: number, unit: string) => `${formatNumber(Number(value.toFixed(value < 10 ? 1 : 0)))}${unit}`
