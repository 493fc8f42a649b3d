import { isSandbox } from '../../platform/ids.ts'
import type { WorkerShell } from '../db/worker-shell.ts'
import { hasSlotFor, type JobPool, leave, slotsForNew, take } from './job-pools.ts'
import type { ClaimedJob } from './queries.ts'
import type { FreshJob, JobHandOver, TakesJobs } from './straight-through.ts'

interface Parts {
  readonly shell: WorkerShell<ClaimedJob>
  readonly pools: readonly JobPool[]
  node(): number
  /** Runs a job that has its slot, settles it, and lets go of both. */
  run(pool: JobPool, job: ClaimedJob): Promise<void>
}

/** Takes jobs that this process enqueues, as far as their pool has free slots and nothing waits that they would overtake. */
export class JobHandOvers implements TakesJobs {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  reserve(name: string, jobs: readonly FreshJob[]): JobHandOver | null {
    const { shell, pools, node } = this.#parts
    const pool = pools.find(({ names, isForCrashed }) => !isForCrashed && names.includes(name))
    if (!pool) return null
    pool.takesNew = true
    const holder = node()
    const held: ClaimedJob[] = []
    for (const { id, team, payload, runAt, trace } of jobs) {
      // Whoever moves the clock of a sandbox looks for what waits in it.
      if (isSandbox(team)) continue
      const job = { id, name, payload, attempts: 1, holder, claims: 1, crashes: 0, runAt, trace }
      if (!shell.canHoldNew || slotsForNew(pool) <= 0 || !hasSlotFor(pool, team)) {
        // Those behind it wait until a claim has found it.
        pool.hasBacklog = true
        pool.wasPassedOver = true
        continue
      }
      take(pool, job)
      held.push(job)
    }
    return held.length > 0 ? this.#handOver(pool, held, { node: holder, isForAll: held.length === jobs.length }) : null
  }

  #handOver(pool: JobPool, held: readonly ClaimedJob[], of: Pick<JobHandOver, 'node' | 'isForAll'>): JobHandOver {
    const { shell, run } = this.#parts
    const rows = shell.holdNew(held)
    const ids = new Set(held.map(({ id }) => id))
    return {
      ...of,
      has: (id) => ids.has(id),
      committed: () => rows.committed(held, (jobs) => Promise.all(jobs.map((job) => run(pool, job)))),
      failed: (error) => {
        for (const job of held) leave(pool, job)
        rows.failed(error)
      },
    }
  }
}
