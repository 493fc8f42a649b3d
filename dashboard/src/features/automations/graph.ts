import type {
  Connection as KeptConnection,
  ConnectionType as KeptConnectionType,
  Graph as KeptGraph,
  Step as KeptStep,
  StepOf as KeptStepOf,
  StepType as KeptStepType,
} from '../../../../src/features/automations/engine/graph.ts'

// A graph while it is drawn: of the shape that the server keeps, but fields may still be empty. Every change makes another graph.

export type Graph = KeptGraph
export type Step = KeptStep
export type StepOf<Type extends StepType> = KeptStepOf<Type>
export type StepType = KeptStepType
export type Connection = KeptConnection
export type ConnectionType = KeptConnectionType

/** Where a step can be left. */
export interface Outlet {
  readonly from: string
  readonly type: ConnectionType
}

/** What a step of each kind begins with. */
const EMPTY: { readonly [Type in StepType]: StepOf<Type>['config'] } = {
  trigger: { event_name: '' },
  send_email: { template: { id: '' } },
  delay: { duration: '1 day' },
  wait_for_event: { event_name: '', timeout: '3 days' },
  condition: { type: 'and', rules: [{ type: 'rule', field: '', operator: 'eq', value: '' }] },
  contact_update: {},
  contact_delete: {},
  add_to_segment: { segment_id: '' },
}

export const firstGraph = (event_name: string): Graph => ({
  steps: [{ key: 'trigger', type: 'trigger', config: { event_name } }],
  connections: [],
})

/** As the API gives it. What leaves a wait without saying how leaves it when the event comes. */
export function drawn({
  steps,
  connections,
}: {
  steps: readonly unknown[]
  connections: readonly Connection[]
}): Graph {
  const known = steps as readonly Step[]
  const waits = new Set(known.filter(({ type }) => type === 'wait_for_event').map(({ key }) => key))
  return {
    steps: known,
    connections: connections.map(({ from, to, type }) => ({
      ...{ from, to },
      type: type === 'default' && waits.has(from) ? 'event_received' : type,
    })),
  }
}

/** As the API takes it: to it a config is anything with names. */
export const sent = ({ steps, connections }: Graph) => ({
  steps: steps.map(({ key, type, config }) => ({ key, type, config: { ...config } as Record<string, unknown> })),
  connections: [...connections],
})

export const stepOf = ({ steps }: Graph, key: string | null) => steps.find((step) => step.key === key)

export const targetOf = ({ connections }: Graph, { from, type }: Outlet) =>
  connections.find((one) => one.from === from && one.type === type)?.to

export const outletsOf = (step: Step): readonly Outlet[] => typesOf(step).map((type) => ({ from: step.key, type }))

function typesOf(step: Step): readonly ConnectionType[] {
  if (step.type === 'contact_delete') return []
  if (step.type === 'condition') return ['condition_met', 'condition_not_met']
  if (step.type !== 'wait_for_event') return ['default']
  return isEndless(step) ? ['event_received'] : ['event_received', 'timeout']
}

/** The steps that can be reached from one, itself included. */
export function reachedFrom({ connections }: Graph, key: string): Set<string> {
  const reached = new Set([key])
  for (const one of reached) for (const { from, to } of connections) if (from === one) reached.add(to)
  return reached
}

/** The steps that a connection from one can lead to: not back to where it came from, and not to the trigger. */
export function possibleTargets({ steps, connections }: Graph, from: string): readonly Step[] {
  const before = new Set([from])
  for (const one of before) for (const { from: start, to } of connections) if (to === one) before.add(start)
  return steps.filter(({ key, type }) => type !== 'trigger' && !before.has(key))
}

export const canLeadTo = (graph: Graph, from: string, to: string) =>
  possibleTargets(graph, from).some(({ key }) => key === to)

/** Leads an outlet to another step, or to none. */
export function connect(graph: Graph, outlet: Outlet, to: string | null): Graph {
  const others = graph.connections.filter(({ from, type }) => from !== outlet.from || type !== outlet.type)
  return { ...graph, connections: to === null ? others : [...others, { from: outlet.from, to, type: outlet.type }] }
}

const freeKey = ({ steps }: Graph, type: StepType) => {
  for (let number = 1; ; number++) {
    const key = `${type}_${number}`
    if (!steps.some((step) => step.key === key)) return key
  }
}

/** A new step behind an outlet: what was there follows it. Without an outlet it stands alone, to be connected. */
export function addStep(graph: Graph, type: StepType, outlet: Outlet | null): { graph: Graph; key: string } {
  const key = freeKey(graph, type)
  const step = { key, type, config: EMPTY[type] } as Step
  const bigger = { ...graph, steps: [...graph.steps, step] }
  if (!outlet) return { graph: bigger, key }
  const next = targetOf(graph, outlet)
  const first = outletsOf(step)[0]
  const led = connect(bigger, outlet, key)
  return { graph: next && first ? connect(led, first, next) : led, key }
}

/** Without a step: what led to it leads to what followed, if that is one thing. */
export function removeStep(graph: Graph, key: string): Graph {
  const following = new Set(graph.connections.filter(({ from }) => from === key).map(({ to }) => to))
  const next = following.size === 1 ? [...following][0]! : null
  return {
    steps: graph.steps.filter((step) => step.key !== key),
    connections: graph.connections.flatMap((one) => {
      if (one.from === key) return []
      if (one.to !== key) return [one]
      return next ? [{ ...one, to: next }] : []
    }),
  }
}

/** With another config of one step. A wait that does not end in time is not left by its timeout. */
export const configure = (graph: Graph, changed: Step): Graph => ({
  steps: graph.steps.map((step) => (step.key === changed.key ? changed : step)),
  connections: isEndless(changed)
    ? graph.connections.filter(({ from, type }) => from !== changed.key || type !== 'timeout')
    : graph.connections,
})

const isEndless = (step: Step) => step.type === 'wait_for_event' && step.config.timeout === undefined
