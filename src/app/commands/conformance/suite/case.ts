import type { CaseRun } from './case-run.ts'
import type { OperationId } from './operations.ts'

/** One thing that the contract says. */
export interface Case {
  /** `contacts.create`. */
  readonly id: string
  readonly title: string
  /** The operation that it is about; null: it is about several, or about all. */
  readonly operation: OperationId | null
  run(trial: CaseRun): Promise<void>
}

export interface Group {
  readonly id: string
  readonly title: string
  readonly cases: readonly Case[]
}

/** A request, what the contract says of its answer, and what the answer was. */
export interface Difference {
  readonly request: string
  readonly expected: string
  readonly actual: string
}

export const RESULTS = ['holds', 'differs', 'not_there', 'skipped'] as const
export type Result = (typeof RESULTS)[number]

export interface CaseReport {
  readonly id: string
  readonly title: string
  readonly operation: OperationId | null
  readonly result: Result
  /** Why it was skipped, or what is not there. */
  readonly reason?: string
  readonly differences: readonly Difference[]
}

export interface GroupReport {
  readonly id: string
  readonly title: string
  readonly cases: readonly CaseReport[]
}
