import type { Clock } from '../../platform/clock.ts'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { isUnavailable, levelOf } from '../../platform/database-errors.ts'
import { momentOf } from '../../platform/ids.ts'
import type { Log } from '../../platform/observability/log.ts'
import { causedBy, spanning, tracing } from '../../platform/observability/tracing.ts'
import { ClaimCursor } from '../db/claim-cursor.ts'
import type { Database } from '../db/database.ts'
import { servicesForTeam } from '../db/team-services.ts'
import { withRetries } from '../db/with-retries.ts'
import { WorkerShell } from '../db/worker-shell.ts'
import { JobHandOvers } from './hand-overs.ts'
import type { Job } from './job.ts'
import {
  fullTeamsAfter,
  isWorthAClaim,
  type JobPool,
  leave,
  perTeam,
  poolOf,
  sharesOf,
  slotsToClaim,
  take,
  teamOf,
} from './job-pools.ts'
import {
  type ClaimedJob,
  claimDue,
  ensureRecurring,
  fail,
  finish,
  JOB_HOLDERS,
  JOBS_CHANNEL,
  markAlone,
  postpone,
  releaseHeldBy,
  releaseUnknown,
  spanNameOf,
} from './queries.ts'

/** What is done need not be done again only because the database is away. */
const RETRY_FOR_SECONDS = 600
/** After something that should not happen. */
const PAUSE_SECONDS = 60
/** How soon a kind that was not ready is asked again. */
const READY_POLL_MS = 20

/** More than any kind has slots. */
const ALL = 10_000

/** What the worker itself uses of the services that it hands to the jobs. */
interface WorkerServices {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  /** Teams whose jobs wait. */
  readonly teamStates?: { readonly paused: readonly string[] }
}

/**
 * Works off the jobs table. The life of a row: due → claimed (holder set, claim counted) → deleted when done, due again by its
 * retry schedule when it failed, or marked failed for good. Kinds with slots of their own are claimed apart, so no flood of one holds up
 * another.
 */
export class Worker<Services extends WorkerServices> {
  readonly #jobs: Map<string, Job<object, Services>>
  readonly #pools: readonly JobPool[]
  readonly #services: Services
  /** Of each kind that reads untrusted input: all of it for a job that may be a poison message, a part for any other. */
  readonly #untrusted: ReadonlyMap<string, Semaphore>
  readonly #stopping = new AbortController()
  readonly #shell: WorkerShell<ClaimedJob>
  readonly straightThrough: JobHandOvers

  constructor(jobs: readonly Job<object, Services>[], services: Services) {
    const { db } = services
    this.#jobs = new Map(jobs.map((job) => [job.name, job]))
    this.#services = services
    const untrusted = jobs.filter(({ maxCrashes }) => maxCrashes !== undefined).map(({ name }) => name)
    this.#untrusted = new Map(untrusted.map((name) => [name, new Semaphore(ALL)]))
    this.#shell = new WorkerShell(services, {
      names: { worker: 'jobs', rows: 'jobs' },
      channel: JOBS_CHANNEL,
      holders: JOB_HOLDERS,
      teamOf,
      release: (nodes) => releaseHeldBy(db, nodes, untrusted),
      releaseUnknown: (node, known) => releaseUnknown(db, node, known),
      onReleased: () => this.#resetCursors(),
    })
    this.#pools = sharesOf(jobs).map((share) => {
      const loop = this.#shell.addLoopOn(share.channels, () => this.#claimSome(pool))
      const pool = poolOf(share, loop, new ClaimCursor())
      return pool
    })
    this.straightThrough = new JobHandOvers({
      shell: this.#shell,
      pools: this.#pools,
      node: () => db.presence.node,
      run: (pool, job) => this.#runNew(pool, job),
    })
  }

  async start() {
    await ensureRecurring(this.#services.db, [...this.#jobs.values()])
    await this.#shell.start()
  }

  /** Claims nothing more, waits for what runs (as long as the caller allows), gives the rest back. */
  async stop(graceMs: number) {
    this.#stopping.abort()
    await this.#shell.stop()
    await this.#shell.settled(graceMs)
    await this.#shell.release()
  }

  /** Works until nothing is due, then returns. */
  runDue() {
    return this.#shell.runDue(async () => {
      this.#resetCursors()
      let claimed = 0
      for (const pool of this.#pools) claimed += (await this.#claim(pool)).length
      return claimed > 0
    })
  }

  #resetCursors() {
    for (const pool of this.#pools) {
      pool.cursor.reset()
      pool.hasBacklog = true
      pool.wasPassedOver = true
    }
  }

  /** Tells whether there is more. */
  async #claimSome(pool: JobPool): Promise<boolean> {
    const free = pool.slots - pool.taken
    const claimed = await this.#claim(pool)
    // What a team with enough is passed over for is not what others have behind it.
    const isMore = free === 0 || (claimed.length > 0 && pool.hasBacklog)
    if (isMore) this.#shell.wakePeer()
    return isMore && free > 0
  }

  async #claim(pool: JobPool): Promise<readonly ClaimedJob[]> {
    const { db, clock, teamStates } = this.#services
    const limit = this.#isReady(pool) ? slotsToClaim(pool) : 0
    if (limit === 0) {
      // Nobody looks whether there is one.
      pool.hasBacklog = true
      return []
    }
    const { names, cursor, isForCrashed } = pool
    if (isForCrashed) cursor.reset()
    const start = cursor.begin()
    const now = clock.now()
    const begin = performance.now()
    let teams = new Map<string, number>()
    pool.asked += limit
    let claimed: readonly ClaimedJob[] = []
    try {
      claimed = await this.#shell.claim((node) => {
        pool.wasPassedOver = false
        teams = new Map(pool.teams)
        for (const team of teamStates?.paused ?? []) teams.set(team, ALL)
        return claimDue(db, { names, node, now, limit, teams, perTeam: perTeam(pool), isForCrashed, ...start })
      })
      for (const job of claimed) take(pool, job)
    } finally {
      pool.asked -= limit
    }
    for (const job of claimed) this.#shell.track(this.#end(pool, job, this.#work(job)))
    const found = claimed.map(({ runAt }) => runAt)
    pool.fullTeams = fullTeamsAfter(pool, teams, claimed)
    const isTeamCut = pool.fullTeams.length > 0
    pool.hasBacklog = pool.wasPassedOver || isTeamCut || claimed.length === limit
    // What was passed over for its team's sake is due as it was, and may be taken the next time.
    if (isTeamCut) cursor.reset()
    else cursor.finish(start, { found, limit, now, tookMs: performance.now() - begin })
    return claimed
  }

  /** A pool that is not is looked at again soon, without asking the database. */
  #isReady(pool: JobPool): boolean {
    const isReady = pool.names.every((name) => this.#jobs.get(name)!.isReady?.(this.#services) !== false)
    if (!isReady && !pool.isAskedAgain) {
      pool.isAskedAgain = true
      setTimeout(() => {
        pool.isAskedAgain = false
        pool.loop.wake()
      }, READY_POLL_MS).unref()
    }
    return isReady
  }

  /** What was handed over, and is written by now. */
  #runNew(pool: JobPool, job: ClaimedJob): Promise<void> {
    const isOver = this.#stopping.signal.aborted
    return this.#end(pool, job, isOver ? this.#surely(job, () => this.#handBack(job)) : this.#work(job))
  }

  /** Lets go of a job and its slot, which another one can have that waits. */
  async #end(pool: JobPool, job: ClaimedJob, work: Promise<void>) {
    try {
      await work
    } finally {
      leave(pool, job)
      this.#shell.inFlight.remove([job])
      if (isWorthAClaim(pool, job)) pool.loop.wake()
    }
  }

  async #work(claimed: ClaimedJob) {
    const job = this.#jobs.get(claimed.name)!
    if (job.maxCrashes !== undefined && claimed.crashes > job.maxCrashes)
      return await this.#surely(claimed, () => this.#deadLetter(job, claimed))
    try {
      if (!(await this.#run(job, claimed))) return
      await withRetries(() => this.#settle(job, claimed), {
        seconds: RETRY_FOR_SECONDS,
        isOfUse: () => !this.#shell.hasReleased,
      })
    } catch (error) {
      if (this.#stopping.signal.aborted && isAbort(error))
        return await this.#surely(claimed, () => this.#handBack(claimed))
      this.#services.log[levelOf(error, 'warn')](
        { job: claimed.name, attempt: claimed.attempts, error },
        'jobs: job failed',
      )
      await this.#surely(claimed, () => this.#afterFailure(job, claimed, error))
    }
  }

  /** A possible poison message has its kind to itself in this process. False: the job is not ours any more. */
  async #run(job: Job<object, Services>, claimed: ClaimedJob): Promise<boolean> {
    const services = await servicesForTeam(this.#services, teamOf(claimed), { share: 'jobs' })
    const runUntraced = () => job.run(claimed.payload, { ...services, signal: this.#stopping.signal })
    const run = claimed.trace ? () => this.#traced(claimed, runUntraced) : runUntraced
    const kind = this.#untrusted.get(job.name)
    if (!kind) await run()
    else if (claimed.crashes === 0) await kind.run(1, run)
    else
      return kind.run(ALL, async () => {
        if (!(await markAlone(this.#services.db, claimed))) return false
        await run()
        return true
      })
    return true
  }

  #traced(claimed: ClaimedJob, run: () => Promise<void>): Promise<void> {
    const { id, name, attempts, trace } = claimed
    const span = tracing?.begin(spanNameOf(name), {
      kind: 'consumer',
      ...causedBy(trace!, this.#services.clock.now().getTime() - momentOf(id).getTime()),
      attributes: {
        'postwren.job': name,
        'postwren.attempt': attempts,
        'postwren.team.id': teamOf(claimed) || undefined,
      },
    })
    return spanning(span, run)
  }

  /** What cannot be written down is tried again in a while; and if not even that can be, the row is held and not in flight. */
  async #surely(claimed: ClaimedJob, work: () => Promise<void>) {
    const isDone = async (act: () => Promise<void>) =>
      this.#shell.logErrors(async () => {
        await act()
        return true
      }, 'settling a job')
    const { attempts } = claimed
    if (await isDone(work)) return
    if (await isDone(() => this.#postpone(claimed, { seconds: PAUSE_SECONDS, attempts }, ''))) return
    this.#shell.markUncertain()
  }

  async #settle(job: Job<object, Services>, claimed: ClaimedJob) {
    if (job.everySeconds === undefined) await finish(this.#services.db, claimed)
    else await this.#postpone(claimed, { seconds: job.everySeconds, attempts: 0 }, '')
  }

  async #afterFailure(job: Job<object, Services>, claimed: ClaimedJob, error: unknown) {
    const message = error instanceof Error ? error.message : String(error)
    const seconds = job.retryAfterSeconds[claimed.attempts - 1] ?? job.everySeconds
    // What is missing here comes back in real time.
    const team = isUnavailable(error) ? '' : teamOf(claimed)
    if (seconds !== undefined)
      return await this.#postpone(claimed, { seconds, attempts: claimed.attempts, message }, team)
    await this.#giveUp(job, claimed, message)
  }

  /** Whatever it does to a process, it does it no more. */
  async #deadLetter(job: Job<object, Services>, claimed: ClaimedJob) {
    const { id, name, payload, crashes } = claimed
    this.#services.log.error(
      { job: name, id, payload, crashes },
      'jobs: job set aside, it crashed its process each time it ran',
    )
    await this.#giveUp(job, claimed, `It crashed its process ${crashes} times`)
  }

  async #giveUp(job: Job<object, Services>, claimed: ClaimedJob, message: string) {
    await this.#services.db.transaction(async (trx) => {
      if (await fail(trx, claimed, message)) await job.giveUp?.(claimed.payload, trx)
    })
  }

  /** As if it had never been claimed, so that another node takes it at once. */
  async #handBack(claimed: ClaimedJob) {
    await postpone(this.#services.db, claimed, { runAt: claimed.runAt, attempts: claimed.attempts - 1 })
  }

  /** By the time of the team, or of nobody. */
  async #postpone(claimed: ClaimedJob, next: { seconds: number; attempts: number; message?: string }, team: string) {
    const own = this.#services.clock.of(team)
    const runAt = own.toReal(new Date(own.now().getTime() + next.seconds * 1_000))
    const { attempts, message } = next
    await postpone(this.#services.db, claimed, { runAt, attempts, ...(message && { error: message }) })
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'
