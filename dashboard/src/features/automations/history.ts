import type { Graph } from './graph.ts'

/** What can be undone and redone. Each entry is a whole graph: they share the steps that did not change. */
export interface History {
  readonly past: readonly Graph[]
  readonly future: readonly Graph[]
  /** The step whose settings were changed last. Further changes of them are the same edit. */
  readonly step: string | null
}

export const NO_HISTORY: History = { past: [], future: [], step: null }

export const MAX_UNDO = 100

/** After a change of a graph to another. */
export function recorded(history: History, before: Graph, after: Graph): History {
  const step = changedStep(before, after)
  if (step !== null && step === history.step) return { ...history, future: [] }
  return { past: [...history.past, before].slice(-MAX_UNDO), future: [], step }
}

/** The step that is the only difference between two graphs; null: there is more. */
function changedStep(before: Graph, after: Graph): string | null {
  if (JSON.stringify(before.connections) !== JSON.stringify(after.connections)) return null
  if (before.steps.length !== after.steps.length) return null
  const changed = after.steps.filter((step, index) => step !== before.steps[index])
  const [only] = changed
  return changed.length === 1 && before.steps.some(({ key }) => key === only!.key) ? only!.key : null
}

/** The graph before the last change; undefined: there is none. */
export function undone({ past, future }: History, now: Graph): { history: History; graph: Graph } | undefined {
  const graph = past.at(-1)
  return graph && { graph, history: { past: past.slice(0, -1), future: [now, ...future], step: null } }
}

export function redone({ past, future }: History, now: Graph): { history: History; graph: Graph } | undefined {
  const [graph, ...rest] = future
  return graph && { graph, history: { past: [...past, now], future: rest, step: null } }
}
