import { readFileSync } from 'node:fs'

export interface MetricShape {
  readonly type: string
  readonly labels: readonly string[]
}

/** The metrics that docs/operations/monitoring.md names for this system, with type and labels. */
export function documentedMetrics(): ReadonlyMap<string, MetricShape> {
  const page = readFileSync('docs/operations/monitoring.md', 'utf8')
  const rows = [...page.matchAll(/^\| `((?:postwren|process|nodejs)_\w+)` \| (\w+) \| ([^|]*)\|(.*)$/gm)]
  const own = rows.filter(([, , , , told]) => process.platform === 'linux' || !told!.includes('(Linux)'))
  return new Map(
    own.map(([, name, type, labels]) => [
      name!,
      { type: type!, labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!) },
    ]),
  )
}

/** Those of a text of `/metrics`. */
export function shownMetrics(text: string): ReadonlyMap<string, MetricShape> {
  const shapes = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => {
    const series = text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, 'gm'))
    const labels = [...series].flatMap(([, list]) => [...list!.matchAll(/(\w+)="/g)].map(([, label]) => label!))
    return [name!, { type: type!, labels: [...new Set(labels)].filter((label) => label !== 'le') }] as const
  })
  return new Map(shapes)
}
