import { type Judged, REASONS, type Reason, type Verdict } from './exchange.ts'

/** One kind of difference: the same field of the same operation. */
export interface DifferenceKind {
  path: string
  count: number
  /** The first ones. */
  examples: { theirs: string; ours: string; at: string }[]
}

export interface OperationReport {
  calls: number
  same: number
  different: number
  failed: number
  not_comparable: Partial<Record<Reason, number>>
  differences: DifferenceKind[]
  /** Differences of kinds beyond those that are kept. */
  more_differences: number
  /** Fields that only our side answers. */
  extras: string[]
  /** What our side said when it failed last. */
  last_failure: string | null
}

export interface ReportData {
  version: 1
  upstream: string
  started_at: string
  updated_at: string
  calls: number
  /** Calls that change something and did not reach our side: later differences may follow from them. */
  lost_writes: number
  operations: Record<string, OperationReport>
  /** Calls that are answered and not compared yet. Only a proxy that runs can say it. */
  waiting?: number
}

const MAX_OPERATIONS = 300
const MAX_KINDS = 40
const MAX_EXAMPLES = 3
const MAX_EXTRAS = 40
const OTHER = 'other operations'

/** Because of these our side has missed a call. */
const LOSSES = new Set<Reason>(['starting', 'away', 'behind', 'too_large', 'too_many_keys', 'incomplete', 'encoded'])

export const newReport = (upstream: string, now: Date): ReportData => ({
  ...{ version: 1, upstream, started_at: now.toISOString(), updated_at: now.toISOString() },
  ...{ calls: 0, lost_writes: 0, operations: {} },
})

/** Counts what came of all calls. Of bounded size, whatever is called. */
export class Report {
  readonly data: ReportData

  constructor(data: ReportData) {
    this.data = data
  }

  /** Gives back the kinds of difference that were counted, to be said. */
  add({ operation, verdict }: Judged, call: { isWriting: boolean; now: Date }): DifferenceKind[] {
    const counts = this.#operation(operation)
    this.data.calls++
    this.data.updated_at = call.now.toISOString()
    counts.calls++
    if (verdict.kind === 'not_comparable') {
      counts.not_comparable[verdict.reason] = (counts.not_comparable[verdict.reason] ?? 0) + 1
      if (call.isWriting && LOSSES.has(verdict.reason)) this.data.lost_writes++
      return []
    }
    if (verdict.kind === 'failed') {
      counts.failed++
      counts.last_failure = verdict.detail
      if (call.isWriting) this.data.lost_writes++
      return []
    }
    counts[verdict.kind]++
    addExtras(counts, verdict.extras)
    return verdict.kind === 'different' ? addDifferences(counts, verdict, call.now) : []
  }

  #operation(name: string): OperationReport {
    const { operations } = this.data
    const isFull = !Object.hasOwn(operations, name) && Object.keys(operations).length >= MAX_OPERATIONS
    const key = isFull ? OTHER : name
    if (!Object.hasOwn(operations, key)) operations[key] = newOperation()
    return operations[key]!
  }
}

const newOperation = (): OperationReport => ({
  ...{ calls: 0, same: 0, different: 0, failed: 0, not_comparable: {} },
  ...{ differences: [], more_differences: 0, extras: [], last_failure: null },
})

function addExtras(counts: OperationReport, extras: readonly string[]) {
  for (const path of extras)
    if (counts.extras.length < MAX_EXTRAS && !counts.extras.includes(path)) counts.extras.push(path)
}

function addDifferences(
  counts: OperationReport,
  verdict: Verdict & { kind: 'different' },
  now: Date,
): DifferenceKind[] {
  return verdict.differences.flatMap(({ path, theirs, ours }) => {
    let kind = counts.differences.find((one) => one.path === path)
    if (!kind && counts.differences.length >= MAX_KINDS) {
      counts.more_differences++
      return []
    }
    if (!kind) {
      kind = { path, count: 0, examples: [] }
      counts.differences.push(kind)
    }
    kind.count++
    const isNew = !kind.examples.some((example) => example.theirs === theirs && example.ours === ours)
    if (isNew && kind.examples.length < MAX_EXAMPLES) kind.examples.push({ theirs, ours, at: now.toISOString() })
    return [kind]
  })
}

/** Whether something of a file is a report that this version can go on with. */
export const isReport = (value: unknown): value is ReportData => {
  const report = value as Partial<ReportData> | null
  return report?.version === 1 && typeof report.calls === 'number' && typeof report.operations === 'object'
}

export const reasonText = (reason: string) => (REASONS as Record<string, string>)[reason] ?? reason
