import { setTimeout as wait } from 'node:timers/promises'
import { DeadNodes, LOOK_FOR_DEAD_NODES_MS } from '../db/dead-nodes.ts'
import { JobDatabase } from '../db/team-database.ts'
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
const SHARED_PLACES = 4

/** The part of a lane that must be free for it to claim: with many places, a few jobs to a statement instead of one. */
const WORTHWHILE = 1 / 4

/** The part of a lane that one team's jobs may take: what it has imported, or was sent, leaves room for the others'. */
const PER_TEAM = 3 / 4

/** Jobs that share places. */
interface Lane {
  readonly names: readonly string[]
  readonly places: number
  taken: number
  /** Of those that are taken, how many each team has. */
  readonly teams: Map<string, number>
  readonly loop: Loop
}

type WorkerContext = Omit<JobContext, 'signal'>

/**
 * Works off the jobs table. The life of a row: due → claimed (holder and lease set, attempt counted) → deleted when done, due
 * again by its ladder when it failed, or marked failed for good. A lease ends in one of three ways: this worker settles the
 * job, the worker's node dies and any other node gives the job back within a second, or, should the database not notice
 * the death (a cut cable), the lease runs out. Kinds with places of their own are claimed apart, so no flood of one holds up another.
 */
export class Worker {
  readonly #jobs: Map<string, Job>
  readonly #lanes: readonly Lane[]
  readonly #context: WorkerContext
  readonly #node: number
  readonly #stopping = new AbortController()
  readonly #running = new Map<ClaimedJob, Promise<void>>()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #deadNodes = new DeadNodes(JOB_HOLDERS)

  constructor(jobs: readonly Job[], context: WorkerContext) {
    this.#jobs = new Map(jobs.map((job) => [job.name, job]))
    this.#lanes = sharesOf(jobs).map((share) => {
      const claim = () => this.#quietly(() => this.#claimFor(lane))
      const lane: Lane = {
        ...share,
        taken: 0,
        teams: new Map(),
        loop: new Loop(async () => Boolean(await claim()), LOOKS),
      }
      return lane
    })
    this.#context = context
    this.#node = context.db.signals.node
  }

  async start() {
    const { db } = this.#context
    await db.signals.start()
    await ensureRecurring(db, [...this.#jobs.values()])
    db.signals.on(JOBS_CHANNEL, () => this.#wakeAll())
    this.#timers.push(
      setInterval(() => this.#quietly(() => this.#giveBackOrphans()), LOOK_FOR_DEAD_NODES_MS),
      setInterval(() => this.#quietly(() => this.#renewLeases()), RENEW_MS),
    )
    for (const { loop } of this.#lanes) loop.start()
  }

  /** Claims nothing more, waits for what runs (as long as the caller allows), hands the rest back. */
  async stop(graceMs: number) {
    this.#stopping.abort()
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all(this.#lanes.map(({ loop }) => loop.stop()))
    await Promise.race([Promise.all(this.#running.values()), wait(graceMs, undefined, { ref: false })])
    for (const job of this.#running.keys()) await this.#quietly(() => this.#handBack(job))
  }

  /** Works until nothing is due, then returns: what tests call instead of waiting for a loop. */
  async runDue() {
    const claimForAll = () => Promise.all(this.#lanes.map((lane) => this.#claimFor(lane)))
    while ((await claimForAll()).some((claimed) => claimed > 0)) await Promise.all(this.#running.values())
  }

  #wakeAll() {
    for (const { loop } of this.#lanes) loop.wake()
  }

  async #claimFor(lane: Lane): Promise<number> {
    const free = lane.places - lane.taken
    if (free < lane.places * WORTHWHILE) return 0
    const claimed = await claimDue(this.#context.db, {
      names: lane.names,
      node: this.#node,
      now: this.#context.clock.now(),
      leaseSeconds: LEASE_SECONDS,
      limit: free,
      teams: lane.teams,
      perTeam: Math.max(1, Math.floor(lane.places * PER_TEAM)),
    })
    lane.taken += claimed.length
    for (const job of claimed) {
      countTeam(lane, job, 1)
      const done = this.#work(job).finally(() => {
        lane.taken--
        countTeam(lane, job, -1)
        this.#running.delete(job)
        lane.loop.wake()
      })
      this.#running.set(job, done)
    }
    return claimed.length
  }

  async #work(claimed: ClaimedJob) {
    const job = this.#jobs.get(claimed.name)!
    try {
      const db = new JobDatabase(this.#context.db, teamOf(claimed))
      await job.run(claimed.payload, { ...this.#context, db, signal: this.#stopping.signal })
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
    this.#wakeAll()
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

function sharesOf(jobs: readonly Job[]): Pick<Lane, 'names' | 'places'>[] {
  const sharing = jobs.filter(({ places }) => places === undefined).map(({ name }) => name)
  return [
    ...(sharing.length > 0 ? [{ names: sharing, places: SHARED_PLACES }] : []),
    ...jobs.flatMap(({ name, places }) => (places === undefined ? [] : [{ names: [name], places }])),
  ]
}

/** Whose job it is; that of the installation itself is nobody's. */
const teamOf = ({ payload }: ClaimedJob): string => (payload as { team?: string }).team ?? ''

function countTeam({ teams }: Lane, job: ClaimedJob, change: 1 | -1) {
  const team = teamOf(job)
  if (team === '') return
  const count = (teams.get(team) ?? 0) + change
  if (count > 0) teams.set(team, count)
  else teams.delete(team)
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'
