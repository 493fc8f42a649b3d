import type { Case, CaseReport, Group, GroupReport } from './case.ts'
import { CaseAborted, CaseRun, OperationMissing, Skipped, type SuiteRun } from './case-run.ts'
import { brief } from './shape.ts'

export interface RunnerEvents {
  /** Before each case. */
  begin(group: Group, one: Case): void
}

/** One case after the other. Stopped in the middle it gives back what it has. */
export async function runGroups(
  groups: readonly Group[],
  world: SuiteRun,
  events: RunnerEvents,
): Promise<GroupReport[]> {
  const reports: GroupReport[] = []
  for (const group of groups) {
    const cases: CaseReport[] = []
    reports.push({ id: group.id, title: group.title, cases })
    for (const one of group.cases) {
      if (world.options.signal.aborted) return reports
      events.begin(group, one)
      const report = await runCase(one, world)
      if (report) cases.push(report)
    }
  }
  return reports
}

/** Null: it was stopped. */
async function runCase(one: Case, world: SuiteRun): Promise<CaseReport | null> {
  const { id, title, operation } = one
  const facts = { id, title, operation }
  if (operation !== null && world.missing.has(operation)) return notThere(facts)
  if (world.options.client.isSilent)
    return { ...facts, result: 'skipped', reason: 'the server has stopped answering', differences: [] }
  const trial = new CaseRun(world)
  try {
    await one.run(trial)
  } catch (error) {
    if (world.options.signal.aborted) return null
    if (error instanceof OperationMissing) {
      world.missing.add(error.operation)
      if (error.operation === operation) return notThere(facts)
      if (trial.differences.length === 0)
        return { ...facts, result: 'skipped', reason: `needs ${error.message}`, differences: [] }
    } else if (error instanceof Skipped) {
      if (trial.differences.length === 0) return { ...facts, result: 'skipped', reason: error.message, differences: [] }
    } else if (!(error instanceof CaseAborted) || trial.differences.length === 0)
      trial.differs(title, { expected: 'an answer of the contract', actual: brief((error as Error).message) })
  }
  const { differences } = trial
  return { ...facts, result: differences.length > 0 ? 'differs' : 'holds', differences }
}

const notThere = (facts: Pick<CaseReport, 'id' | 'title' | 'operation'>): CaseReport => ({
  ...{ ...facts, result: 'not_there', reason: `${facts.operation} is not there`, differences: [] },
})
