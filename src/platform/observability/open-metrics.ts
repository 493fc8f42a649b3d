import type { MetricObjectWithValues, MetricValue } from 'prom-client'

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

type Metric = MetricObjectWithValues<MetricValue<string>>

/** What the types of the package do not tell of a value. */
interface Sample {
  readonly metricName?: string
  readonly labels: Record<string, string | number | undefined>
  readonly value: number
  readonly exemplar?: {
    readonly labelSet: Record<string, string>
    readonly value: number
    readonly timestamp: number
  } | null
}

/**
 * Metrics in the form of OpenMetrics 1.0, with exemplars. The package's own renderer takes `_total` off the names of its counters for good, so
 * that the other form would lose it as well.
 */
export function openMetricsOf(parts: readonly (readonly Metric[])[]): string {
  const families = new Map<string, { readonly metric: Metric; readonly samples: Sample[] }>()
  for (const metric of parts.flat()) {
    const family = families.get(metric.name) ?? { metric, samples: [] }
    family.samples.push(...(metric.values as unknown as Sample[]))
    families.set(metric.name, family)
  }
  const lines: string[] = []
  for (const { metric, samples } of families.values()) {
    const type = String(metric.type)
    const isCounter = type === 'counter'
    const family = isCounter ? metric.name.replace(/_total$/, '') : metric.name
    lines.push(`# TYPE ${family} ${type}`, `# HELP ${family} ${escaped(metric.help)}`)
    for (const { metricName = metric.name, labels, value, exemplar } of samples) {
      const name = isCounter ? `${family}_total` : metricName
      lines.push(`${name}${labelsOf(labels)} ${numberOf(value)}${exemplarOf(exemplar)}`)
    }
  }
  return `${lines.join('\n')}\n# EOF\n`
}

function exemplarOf(exemplar: Sample['exemplar']): string {
  if (!exemplar || Object.keys(exemplar.labelSet).length === 0) return ''
  return ` # ${labelsOf(exemplar.labelSet)} ${numberOf(exemplar.value)} ${exemplar.timestamp}`
}

function labelsOf(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escaped(name === 'le' ? boundOf(value) : String(value))}"`],
  )
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

/** A bound is a float there: `1.0`. */
const boundOf = (value: string | number) => (Number.isInteger(Number(value)) ? `${value}.0` : String(value))

const numberOf = (value: number) =>
  value === Number.POSITIVE_INFINITY ? '+Inf' : value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)

const escaped = (text: string) => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
