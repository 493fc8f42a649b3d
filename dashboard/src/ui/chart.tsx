import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from 'react'
import { ceilingOf, isAlone, pathOf, pointAfter, type Values } from './chart-scale.ts'
import { ChartTable } from './chart-table.tsx'
import { formatNumber, formatShort } from './locale.ts'
import './chart.css'
import { texts } from './texts.ts'

export interface Series {
  readonly name: string
  readonly tone: 'good' | 'bad' | 'warn' | 'busy'
  readonly values: Values
  /** Of the period before, point by point: a dashed line. */
  readonly previous?: Values | undefined
}

interface ChartProps {
  readonly title: string
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  /** Horizontal lines that values are to stay below. */
  readonly limits?: readonly { readonly value: number; readonly label: string }[]
  readonly format?: (value: number) => string
}

const HEIGHT = 220
const LEFT = 44
const RIGHT = 12
const TOP = 12
const BOTTOM = 26
const MIN_WIDTH = 240
const LABEL_WIDTH = 90

/** Lines over time. Values are read by mouse, finger and keyboard, and from a table by those who do not see lines. */
export function Chart({ title, labels, series, limits = [], format = formatNumber }: ChartProps) {
  const [box, width] = useWidth()
  const [at, setAt] = useState<number | null>(null)
  const last = labels.length - 1
  const shown = Math.min(at ?? last, last)
  const drawn = series.flatMap(({ values, previous = [] }) => [...values, ...previous])
  const all = [...drawn, ...limits.map(({ value }) => value)]
  const largest = Math.max(0, ...all.map((value) => value ?? 0))
  // Limits are small shares: the usual scale, which begins with four, would have them all at the bottom.
  const ceiling = limits.length > 0 ? ceilingOf(largest * 10) / 10 : ceilingOf(largest)
  const x = (index: number) => LEFT + (index * (width - LEFT - RIGHT)) / Math.max(1, last)
  const y = (value: number) => TOP + (1 - value / ceiling) * (HEIGHT - TOP - BOTTOM)
  const every = Math.ceil(labels.length / Math.max(2, Math.floor(width / LABEL_WIDTH)))
  const text = (value: number | null | undefined) => (value == null ? '–' : format(value))

  const point = (event: PointerEvent<Element>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left
    const index = Math.round(((left - LEFT) / Math.max(1, width - LEFT - RIGHT)) * last)
    setAt(Math.min(last, Math.max(0, index)))
  }
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape' && at !== null) {
      event.stopPropagation()
      return setAt(null)
    }
    const next = pointAfter(event.key, shown, labels.length)
    if (next === null) return
    event.preventDefault()
    setAt(next)
  }
  return (
    <figure className="chart" ref={box}>
      <figcaption>
        <strong>{title}</strong>
        <ul>
          {series.map(({ name, tone, values, previous }) => (
            <li key={name} className={tone}>
              {name} <b>{text(values[shown])}</b>
              {previous && <span className="previous">{texts.chart.previous(text(previous[shown]))}</span>}
            </li>
          ))}
          <li className="when">{labels[shown]}</li>
        </ul>
      </figcaption>
      <div
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label={texts.chart.slider(title)}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={texts.chart.point(
          labels[shown] ?? '',
          series.map(({ name, values }) => `${name} ${text(values[shown])}`),
        )}
        onKeyDown={press}
        onBlur={() => setAt(null)}
        onPointerDown={point}
        onPointerMove={point}
        // A finger that is lifted leaves the chart too, and its reader wants to read on.
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setAt(null)}
      >
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} aria-hidden="true">
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <g key={part}>
              <line className="grid" x1={LEFT} x2={width - RIGHT} y1={y(ceiling * part)} y2={y(ceiling * part)} />
              <text className="tick" x={LEFT - 8} y={y(ceiling * part) + 4} textAnchor="end">
                {format === formatNumber ? formatShort(ceiling * part) : format(ceiling * part)}
              </text>
            </g>
          ))}
          {labels.map((label, index) =>
            index % every === 0 ? (
              <text
                // biome-ignore lint/suspicious/noArrayIndexKey: a place in time; an hour comes twice when summer time ends
                key={index}
                className="tick"
                x={x(index)}
                y={HEIGHT - 6}
                textAnchor={index === 0 ? 'start' : index === last ? 'end' : 'middle'}
              >
                {label}
              </text>
            ) : null,
          )}
          {limits.map(({ value, label }) => (
            <g key={label}>
              <line className="limit" x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
              <text className="tick" x={width - RIGHT} y={y(value) - 4} textAnchor="end">
                {label}
              </text>
            </g>
          ))}
          {at !== null && <line className="cursor" x1={x(shown)} x2={x(shown)} y1={TOP} y2={HEIGHT - BOTTOM} />}
          {series.map(({ name, tone, values, previous }) => (
            <g key={name} className={`line ${tone}`}>
              {previous && <path className="previous" d={pathOf(previous, x, y)} />}
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
      </div>
      <ChartTable title={title} labels={labels} series={series} text={text} />
    </figure>
  )
}

/** As wide as the room there is. */
function useWidth() {
  const [width, setWidth] = useState(640)
  const box = useRef<HTMLElement>(null)
  // Before the first paint: a chart that is wider than a telephone would push the page aside for a moment.
  useLayoutEffect(() => {
    const measure = () => setWidth(Math.max(MIN_WIDTH, box.current!.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  return [box, width] as const
}
