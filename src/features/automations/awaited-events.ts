import { groupBy } from '../../platform/group-by.ts'
import { type Graph, graphOrder, type Rule, type Step } from './engine/graph.ts'
import { isVariable } from './engine/values.ts'
import { invalid } from './rule-check.ts'

const ROOT = 'wait_events.'

/** Steps speak only of events that may have come by then: one that a wait before them has ended with. */
export function requireAwaited(graph: Graph) {
  const awaited = awaitedBefore(graph)
  for (const step of graph.steps)
    for (const [reference, path] of referencesIn(step)) {
      if (!reference.startsWith(ROOT)) continue
      const names = [...awaited.get(step.key)!]
      // Names of events hold dots, as paths do.
      if (names.some((name) => reference.startsWith(`${ROOT}${name}.`))) continue
      throw invalid(path, `No step before it has waited for the event of \`${reference}\`.`)
    }
}

/** For each step the events that a run may have received on its way there. After a timeout the event has not come. */
function awaitedBefore(graph: Graph): Map<string, Set<string>> {
  const awaited = new Map(graph.steps.map(({ key }) => [key, new Set<string>()]))
  const steps = new Map(graph.steps.map((step) => [step.key, step]))
  const leaving = groupBy(graph.connections, ({ from }) => from)
  for (const key of graphOrder(graph))
    for (const { to, type } of leaving.get(key) ?? []) {
      const behind = awaited.get(to)!
      for (const name of awaited.get(key)!) behind.add(name)
      const step = steps.get(key)!
      if (step.type === 'wait_for_event' && type === 'event_received') behind.add(step.config.event_name)
    }
  return awaited
}

type Reference = readonly [reference: string, path: string]

function referencesIn({ key, type, config }: Step): Reference[] {
  const path = `steps.${key}.config`
  if (type === 'condition') return fieldsIn(config, path)
  return type === 'send_email' ? variablesIn(config.template.variables, `${path}.template.variables`) : []
}

/** Rules that were checked are ten deep at most. */
const fieldsIn = (rule: Rule, path: string): Reference[] =>
  rule.type === 'rule'
    ? [[rule.field, `${path}.field`]]
    : rule.rules.flatMap((inner, index) => fieldsIn(inner, `${path}.rules[${index}]`))

function variablesIn(value: unknown, path: string): Reference[] {
  if (isVariable(value)) return [[value.var, `${path}.var`]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    variablesIn(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`),
  )
}
