import type { Static } from 'typebox'
import { type Graph, graphOrder, type StepType } from './engine/graph.ts'
import type { RunStatus } from './engine/runs.ts'
import type { RunStep } from './schema.ts'

type PresentedStep = Static<typeof RunStep>

/** A run as it is kept: what is behind it, and where it stands. Times of the trail are ISO, all others those of the wire. */
export interface StoredRun {
  readonly status: RunStatus
  readonly created_at: string
  readonly started_at: string | null
  readonly trail: readonly PresentedStep[]
  readonly stepKey: string | null
  readonly enteredAt: string | null
  readonly graph: Graph
}

/** Every step of the graph, in its order. Those that the run has not reached are there, too. */
export function stepsOf(run: StoredRun): PresentedStep[] {
  const behind = new Map(run.trail.map((entry) => [entry.key, entry]))
  const types = new Map(run.graph.steps.map(({ key, type }) => [key, type]))
  return graphOrder(run.graph).map((key) => {
    const entry = behind.get(key)
    if (entry) return presentEntry(entry)
    const type = types.get(key)!
    return key === run.stepKey ? present(run, key, type) : unreached(run, key, type)
  })
}

/** The step where it stands. */
function present({ started_at, enteredAt, created_at }: StoredRun, key: string, type: StepType): PresentedStep {
  const isWaiting = type === 'delay' || type === 'wait_for_event'
  // One that nobody has taken up yet stands before its first step.
  const status = isWaiting ? 'waiting' : started_at === null ? 'pending' : 'running'
  const since = enteredAt ?? created_at
  return { ...EMPTY, key, type, status, started_at: status === 'pending' ? null : since, created_at: since }
}

const EMPTY = { output: null, error: null, started_at: null, completed_at: null } as const

const unreached = ({ status, created_at }: StoredRun, key: string, type: StepType): PresentedStep => ({
  ...EMPTY,
  key,
  type,
  status: status === 'running' ? 'pending' : 'skipped',
  created_at,
})

const presentEntry = ({ key, type, status, output, error, ...times }: PresentedStep): PresentedStep => ({
  key,
  type,
  status,
  output,
  error,
  started_at: times.started_at && wireTime(times.started_at),
  completed_at: times.completed_at && wireTime(times.completed_at),
  created_at: wireTime(times.created_at),
})

/** As wire_time() of the database writes it: `2026-11-15T01:20:30.120Z` is `2026-11-15 01:20:30.12+00`. */
const wireTime = (iso: string) => iso.replace('T', ' ').replace(/0{0,2}Z$/, '+00')
