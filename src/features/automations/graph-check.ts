import { Problem } from '../../kernel/http/problem.ts'
import { requireAwaited } from './awaited-events.ts'
import { type ConnectionType, type Graph, graphOrder, type StepType } from './engine/graph.ts'
import { invalid } from './rule-check.ts'
import type { ConnectionShape, StepShape } from './schema.ts'
import { checkConfig } from './step-configs.ts'

/** The types of connections that can leave a step. */
const LEAVING: Record<StepType, readonly ConnectionType[]> = {
  trigger: ['default'],
  delay: ['default'],
  send_email: ['default'],
  wait_for_event: ['event_received', 'timeout'],
  condition: ['condition_met', 'condition_not_met'],
  contact_update: ['default'],
  contact_delete: [],
  add_to_segment: ['default'],
}

/** As JSON. To check 150 steps with 15,000 rules, a megabyte, took 100 ms of the event loop; so much takes a quarter of that. */
const MOST_CHARACTERS = 256 * 1024

/**
 * The graph as it is kept, or a Problem that names the step and the field. Asks no database: whether templates, segments and
 * properties are there is for whoever has one to say.
 */
export function checkGraph(steps: readonly StepShape[], connections: readonly ConnectionShape[]): Graph {
  const byKey = uniqueKeys(steps)
  const trigger = onlyTrigger(steps)
  const graph = {
    steps: steps.map(checkConfig),
    connections: connections.map(({ from, to, type }) => ({ from, to, type: exitOf(byKey.get(from), type) })),
  }
  // Not before: what was given can lie so deep in itself that writing it as JSON fails.
  if (JSON.stringify(graph.steps).length > MOST_CHARACTERS)
    throw invalid('steps', `Together they can have ${MOST_CHARACTERS / 1024} kB of JSON.`)
  requireConnections(graph, byKey)
  requireReachable(graph, trigger)
  requireNoCircle(graph)
  requireAwaited(graph)
  return graph
}

/**
 * Whoever names no type at a wait means that the event came. It is kept as what it means: clients that show graphs, the MCP server for one,
 * look for that type at a wait, and would show a way that leads nowhere.
 */
const exitOf = (start: StepShape | undefined, type: ConnectionType): ConnectionType =>
  type === 'default' && start?.type === 'wait_for_event' ? 'event_received' : type

function uniqueKeys(steps: readonly StepShape[]): Map<string, StepShape> {
  const byKey = new Map<string, StepShape>()
  for (const [index, step] of steps.entries()) {
    if (byKey.has(step.key)) throw invalid(`steps[${index}].key`, `Another step has the key \`${step.key}\`.`)
    byKey.set(step.key, step)
  }
  return byKey
}

function onlyTrigger(steps: readonly StepShape[]): string {
  const [trigger, second] = steps.filter(({ type }) => type === 'trigger')
  if (!trigger) throw invalid('steps', 'One of them must be a `trigger`.')
  if (second) throw invalid(`steps.${second.key}.type`, `There is a \`trigger\` already: \`${trigger.key}\`.`)
  return trigger.key
}

function requireConnections({ steps, connections }: Graph, byKey: ReadonlyMap<string, StepShape>) {
  const left = new Set<string>()
  for (const [index, { from, to, type }] of connections.entries()) {
    const path = `connections[${index}]`
    const start = byKey.get(from)
    if (!start) throw invalid(`${path}.from`, `There is no step \`${from}\`.`)
    if (!byKey.has(to)) throw invalid(`${path}.to`, `There is no step \`${to}\`.`)
    if (byKey.get(to)!.type === 'trigger') throw invalid(`${path}.to`, `Nothing can lead to the trigger \`${to}\`.`)
    requireType(path, start, type)
    const leaves = JSON.stringify([from, type])
    if (left.has(leaves)) throw invalid(`${path}.type`, `Another connection like it leaves the step \`${from}\`.`)
    left.add(leaves)
  }
  for (const { key, type, config } of steps)
    if (type === 'wait_for_event' && config.timeout === undefined && left.has(JSON.stringify([key, 'timeout'])))
      throw new Problem(
        'missing_required_field',
        `Missing \`steps.${key}.config.timeout\` field. A \`timeout\` connection leaves the step.`,
      )
}

function requireType(path: string, { key, type: kind }: StepShape, type: ConnectionType) {
  const possible = LEAVING[kind]
  if (possible.includes(type)) return
  if (possible.length === 0) throw invalid(`${path}.from`, `Nothing can come after the ${kind} step \`${key}\`.`)
  const choices = possible.map((choice) => `\`${choice}\``).join(' or ')
  throw invalid(`${path}.type`, `It must be ${choices}, since it leaves the ${kind} step \`${key}\`.`)
}

function requireReachable({ steps, connections }: Graph, trigger: string) {
  const behind = new Map<string, string[]>(steps.map(({ key }) => [key, []]))
  for (const { from, to } of connections) behind.get(from)!.push(to)
  const reached = new Set([trigger])
  for (const key of reached) for (const next of behind.get(key)!) reached.add(next)
  const lost = steps.find(({ key }) => !reached.has(key))
  if (lost) throw invalid(`steps.${lost.key}`, 'No way leads to it from the trigger.')
}

/** What has no place in the order is in a circle or comes after one: going back from it ends in the circle. */
function requireNoCircle(graph: Graph) {
  const placed = new Set(graphOrder(graph))
  const before = new Map(graph.connections.filter(({ from }) => !placed.has(from)).map(({ from, to }) => [to, from]))
  let key = graph.steps.find((step) => !placed.has(step.key))?.key
  if (key === undefined) return
  const passed = new Set<string>()
  for (; !passed.has(key); key = before.get(key)!) passed.add(key)
  throw invalid('connections', `They lead from the step \`${key}\` back to it, and a run would never end.`)
}
