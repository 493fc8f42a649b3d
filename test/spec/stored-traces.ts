import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type ModelRow, modelHash, type Trace, type TraceStep } from './traces.ts'

const FILE = join(process.cwd(), 'test', 'fixtures', 'delivery-traces.json.gz')

interface StoredTraces {
  /** Of the model that the traces are of. */
  readonly model: string
  readonly traces: readonly Trace[]
}

/** A step as it is stored: of the tables only what the step has changed. */
type StoredStep = Omit<TraceStep, 'ledger' | 'nodes'> & {
  readonly ledger?: Record<string, ModelRow>
  readonly nodes?: readonly number[]
}

export function readTraces(): StoredTraces {
  const { model, traces } = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as {
    model: string
    traces: StoredStep[][]
  }
  return { model, traces: traces.map(complete) }
}

export function storeTraces(traces: readonly Trace[]) {
  const stored = JSON.stringify({ model: modelHash(), traces: traces.map(changesOf) })
  writeFileSync(FILE, gzipSync(stored, { level: 9 }))
}

function complete(steps: readonly StoredStep[]): Trace {
  let ledger: TraceStep['ledger'] = {}
  let nodes: readonly number[] = []
  return steps.map((step) => {
    ledger = step.ledger ?? ledger
    nodes = step.nodes ?? nodes
    return { ...step, ledger, nodes }
  })
}

function changesOf(trace: Trace): StoredStep[] {
  return trace.map(({ ledger, nodes, ...action }, index) => {
    const before = trace[index - 1]
    const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
    return {
      ...action,
      ...(!isSame(before?.ledger, ledger) && { ledger }),
      ...(!isSame(before?.nodes, nodes) && { nodes }),
    }
  })
}
