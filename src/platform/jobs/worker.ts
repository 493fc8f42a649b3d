import { setTimeout as wait } from 'node:timers/promises'
import { DeadNodes, LOOK_FOR_DEAD_NODES_MS } from '../db/dead-nodes.ts'
import { Loop } from '../loop.ts'
import type { Job, JobContext } from './job.ts'
import {
  type ClaimedJob,
  claimDue,
  ensureRecurring,
  fail,
  finish,
  JOB_HOLDERS,
  JOBS_CHANNEL,
  postpone,
  releaseHeldBy,
  renew,
} from './queries.ts'

const LEASE_SECONDS = 60
const RENEW_MS = 20_000
const LOOKS = { pollMs: 1_000, restMs: 0 }
const CONCURRENCY = 4

type WorkerContext = Omit<JobContext, 'signal'>

/**
 * Works off the jobs table. The life of a row: due → claimed (holder and lease set, attempt counted) → deleted when done, due
 * again by its ladder when it failed, or marked failed for good. A lease ends in one of three ways: this worker settles the
 * job, the worker's node dies and any other node gives the job back within a second, or, should the database not notice
 * the death (a cut cable), the lease runs out.
 */
export class Worker {
  readonly #jobs: Map<string, Job>
  readonly #context: WorkerContext
  readonly #node: number
  readonly #stopping = new AbortController()
  readonly #running = new Map<ClaimedJob, Promise<void>>()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #deadNodes = new DeadNodes(JOB_HOLDERS)
  readonly #loop = new Loop(async () => Boolean(await this.#quietly(() => this.#claimSome())), LOOKS)

  constructor(jobs: readonly Job[], context: WorkerContext) {
    this.#jobs = new Map(jobs.map((job) => [job.name, job]))
    this.#context = context
    this.#node = context.db.signals.node
  }

  async start() {
    const { db } = this.#context
    await db.signals.start()
    await ensureRecurring(db, [...this.#jobs.values()])
    db.signals.on(JOBS_CHANNEL, () => this.#loop.wake())
    this.#timers.push(
      setInterval(() => this.#quietly(() => this.#giveBackOrphans()), LOOK_FOR_DEAD_NODES_MS),
      setInterval(() => this.#quietly(() => this.#renewLeases()), RENEW_MS),
    )
    this.#loop.start()
  }

  /** Claims nothing more, waits for what runs (as long as the caller allows), hands the rest back. */
  async stop(graceMs: number) {
    this.#stopping.abort()
    for (const timer of this.#timers) clearInterval(timer)
    await this.#loop.stop()
    await Promise.race([Promise.all(this.#running.values()), wait(graceMs, undefined, { ref: false })])
    for (const job of this.#running.keys()) await this.#quietly(() => this.#handBack(job))
  }

  /** Works until nothing is due, then returns: what tests call instead of waiting for a loop. */
  async runDue() {
    while ((await this.#claimSome()) > 0) await Promise.all(this.#running.values())
  }

  async #claimSome(): Promise<number> {
    const free = CONCURRENCY - this.#running.size
    if (free <= 0) return 0
    const claimed = await claimDue(this.#context.db, {
      names: [...this.#jobs.keys()],
      node: this.#node,
      now: this.#context.clock.now(),
      leaseSeconds: LEASE_SECONDS,
      limit: free,
    })
    for (const job of claimed) {
      const done = this.#work(job).finally(() => {
        this.#running.delete(job)
        this.#loop.wake()
      })
      this.#running.set(job, done)
    }
    return claimed.length
  }

  async #work(claimed: ClaimedJob) {
    const job = this.#jobs.get(claimed.name)!
    try {
      await job.run(claimed.payload, { ...this.#context, signal: this.#stopping.signal })
      await this.#settle(job, claimed)
    } catch (error) {
      if (this.#stopping.signal.aborted && isAbort(error)) return await this.#quietly(() => this.#handBack(claimed))
      this.#context.log.warn({ job: claimed.name, attempt: claimed.attempts, error }, 'a job failed')
      await this.#quietly(() => this.#afterFailure(job, claimed, error))
    }
  }

  async #settle(job: Job, claimed: ClaimedJob) {
    if (job.everySeconds === undefined) await finish(this.#context.db, claimed, this.#node)
    else await this.#postpone(claimed, { seconds: job.everySeconds, attempts: 0 })
  }

  async #afterFailure(job: Job, claimed: ClaimedJob, error: unknown) {
    const message = error instanceof Error ? error.message : String(error)
    const seconds = job.retryAfterSeconds[claimed.attempts - 1] ?? job.everySeconds
    if (seconds !== undefined) return await this.#postpone(claimed, { seconds, attempts: claimed.attempts, message })
    await this.#context.db.transaction(async (trx) => {
      if (await fail(trx, claimed, this.#node, message)) await job.giveUp?.(claimed.payload, trx)
    })
  }

  /** As if it had never been claimed, so that another node takes it at once. */
  #handBack(claimed: ClaimedJob) {
    return this.#postpone(claimed, { seconds: 0, attempts: claimed.attempts - 1 })
  }

  async #postpone(claimed: ClaimedJob, next: { seconds: number; attempts: number; message?: string }) {
    const runAt = new Date(this.#context.clock.now().getTime() + next.seconds * 1_000)
    const { attempts, message } = next
    await postpone(this.#context.db, claimed, this.#node, { runAt, attempts, ...(message && { error: message }) })
  }

  async #giveBackOrphans() {
    const gone = await this.#deadNodes.look(this.#context.db)
    if (gone.length === 0) return
    const released = await releaseHeldBy(this.#context.db, gone, this.#context.clock.now())
    this.#context.log.warn({ jobs: released }, 'took over jobs of a process that is gone')
    this.#loop.wake()
  }

  async #renewLeases() {
    const ids = [...this.#running.keys()].map(({ id }) => id)
    const until = new Date(this.#context.clock.now().getTime() + LEASE_SECONDS * 1_000)
    if (ids.length > 0) await renew(this.#context.db, ids, this.#node, until)
  }

  /** While the database is away there is nothing to settle; the next round tries again. */
  async #quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#context.log.warn({ error }, 'the job worker could not reach the database')
      return undefined
    }
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'
