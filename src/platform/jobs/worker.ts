import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { ClaimCursor } from '../db/claim-cursor.ts'
import type { Database } from '../db/database.ts'
import { levelOf } from '../db/errors.ts'
import { LostClaims } from '../db/lost-claims.ts'
import { patiently } from '../db/patiently.ts'
import { TakeOver } from '../db/take-over.ts'
import type { Log } from '../log.ts'
import { Loop } from '../loop.ts'
import { servicesOf } from '../team-services.ts'
import type { Job } from './job.ts'
import { countTeam, hasFullTeam, type Lane, perTeam, sharesOf, teamOf } from './lanes.ts'
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
  releaseUnknown,
} from './queries.ts'

/** What is done need not be done again only because the database is away. */
const PATIENCE_SECONDS = 600
/** After something that should not happen. */
const PAUSE_SECONDS = 60
const LOOKS = { pollMs: 1_000, restMs: 0 }

/** The part of a lane that must be free for it to claim: with many places, a few jobs to a statement instead of one. */
const WORTHWHILE = 1 / 4

/** What the worker itself uses of the services that it hands to the jobs. */
interface WorkerServices {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
}

/**
 * Works off the jobs table. The life of a row: due → claimed (holder set, attempt counted) → deleted when done, due again by its
 * ladder when it failed, or marked failed for good. What is claimed is this node's as long as the node lives; when it is gone any
 * other gives the job back. Kinds with places of their own are claimed apart, so no flood of one holds up another.
 */
export class Worker<Services extends WorkerServices> {
  readonly #jobs: Map<string, Job<object, Services>>
  readonly #lanes: readonly Lane[]
  readonly #services: Services
  readonly #stopping = new AbortController()
  readonly #running = new Map<ClaimedJob, Promise<void>>()
  readonly #takeOver: TakeOver
  readonly #lostClaims = new LostClaims()
  /** One claim at a time: what is held and not in hand can be told only while no other is under way. */
  #claiming: Promise<unknown> = Promise.resolve()
  #stopListening = () => {}
  /** Nothing is waited for any more. */
  #isOver = false

  constructor(jobs: readonly Job<object, Services>[], services: Services) {
    this.#jobs = new Map(jobs.map((job) => [job.name, job]))
    this.#lanes = sharesOf(jobs).map((share) => {
      const claim = () => this.#quietly(() => this.#claimFor(lane))
      const loop = new Loop(async () => Boolean(await claim()), LOOKS)
      const lane: Lane = { ...share, taken: 0, teams: new Map(), loop, cursor: new ClaimCursor() }
      return lane
    })
    this.#services = services
    this.#takeOver = new TakeOver({
      db: services.db,
      holders: JOB_HOLDERS,
      release: (nodes) => this.#release(nodes),
      quietly: (work) => this.#quietly(work),
    })
  }

  async start() {
    const { db } = this.#services
    await db.presence.start()
    await ensureRecurring(db, [...this.#jobs.values()])
    this.#stopListening = db.signals.work(JOBS_CHANNEL, () => this.#wakeAll())
    this.#takeOver.start()
    for (const { loop } of this.#lanes) loop.start()
  }

  /** Claims nothing more, waits for what runs (as long as the caller allows), hands the rest back. */
  async stop(graceMs: number) {
    this.#stopping.abort()
    this.#stopListening()
    this.#takeOver.stop()
    await Promise.all(this.#lanes.map(({ loop }) => loop.stop()))
    await Promise.race([Promise.all(this.#running.values()), wait(graceMs, undefined, { ref: false })])
    this.#isOver = true
    for (const job of this.#running.keys()) await this.#quietly(() => this.#handBack(job))
  }

  /** Works until nothing is due, then returns: what tests call instead of waiting for a loop. */
  async runDue() {
    for (;;) {
      let claimed = 0
      for (const lane of this.#lanes) {
        lane.cursor.reset()
        claimed += (await this.#claim(lane)).length
      }
      if (claimed === 0) return
      await Promise.all(this.#running.values())
    }
  }

  /** What was just enqueued is no suspect. */
  #wakeAll() {
    for (const { loop, isForSuspects } of this.#lanes) if (!isForSuspects) loop.wake()
  }

  /** Tells whether there is more. */
  async #claimFor(lane: Lane): Promise<boolean> {
    const { db } = this.#services
    if (!db.presence.mayWork) return false
    const free = lane.places - lane.taken
    const claimed = await this.#claim(lane)
    // What a team with enough is passed over for is not what others have behind it.
    const isMore = free === 0 || (claimed.length > 0 && (claimed.length === free || hasFullTeam(lane)))
    if (isMore) db.signals.passOn(JOBS_CHANNEL)
    return isMore && free > 0
  }

  async #claim(lane: Lane): Promise<readonly ClaimedJob[]> {
    const free = lane.places - lane.taken
    if (free < lane.places * WORTHWHILE) return []
    const claiming = this.#claiming.then(() => this.#claimNow(lane, free))
    this.#claiming = claiming.catch(() => {})
    return claiming
  }

  async #claimNow(lane: Lane, limit: number): Promise<readonly ClaimedJob[]> {
    const { db, clock } = this.#services
    const { node } = db.presence
    const now = clock.now()
    const begin = performance.now()
    const { names, teams, isForSuspects } = lane
    if (isForSuspects) lane.cursor.reset()
    const start = lane.cursor.begin()
    const claimed = await this.#lostClaims.claim(
      () => claimDue(db, { names, node, now, limit, teams, perTeam: perTeam(lane), isForSuspects, ...start }),
      async () => void (await releaseUnknown(db, node, [...this.#running.keys()])),
    )
    for (const job of claimed) this.#begin(lane, job)
    // What was passed over for its team's sake is due as it was, and may be taken the next time.
    if (hasFullTeam(lane)) {
      lane.cursor.reset()
      return claimed
    }
    const isFull = claimed.length === limit
    const upTo = isFull ? new Date(Math.max(...claimed.map(({ runAt }) => runAt.getTime()))) : now
    lane.cursor.finish(start, { upTo, tookMs: performance.now() - begin })
    return claimed
  }

  #begin(lane: Lane, job: ClaimedJob) {
    lane.taken++
    countTeam(lane, job, 1)
    const done = this.#work(job).finally(() => {
      lane.taken--
      countTeam(lane, job, -1)
      this.#running.delete(job)
      lane.loop.wake()
    })
    this.#running.set(job, done)
  }

  async #work(claimed: ClaimedJob) {
    const job = this.#jobs.get(claimed.name)!
    if (job.maxCrashes !== undefined && claimed.crashes >= job.maxCrashes)
      return await this.#surely(claimed, () => this.#setAside(job, claimed))
    try {
      const services = servicesOf(this.#services, teamOf(claimed), 'jobs')
      await job.run(claimed.payload, { ...services, signal: this.#stopping.signal })
      await patiently(() => this.#settle(job, claimed), { seconds: PATIENCE_SECONDS, isOfUse: () => !this.#isOver })
    } catch (error) {
      if (this.#stopping.signal.aborted && isAbort(error))
        return await this.#surely(claimed, () => this.#handBack(claimed))
      this.#services.log[levelOf(error, 'warn')](
        { job: claimed.name, attempt: claimed.attempts, error },
        'a job failed',
      )
      await this.#surely(claimed, () => this.#afterFailure(job, claimed, error))
    }
  }

  /** What cannot be written down is tried again in a while; and if not even that can be, the row is held and not in hand. */
  async #surely(claimed: ClaimedJob, work: () => Promise<void>) {
    const isDone = async (act: () => Promise<void>) =>
      this.#quietly(async () => {
        await act()
        return true
      })
    const { attempts } = claimed
    if (await isDone(work)) return
    if (await isDone(() => this.#postpone(claimed, { seconds: PAUSE_SECONDS, attempts }))) return
    this.#lostClaims.suspect()
  }

  async #settle(job: Job<object, Services>, claimed: ClaimedJob) {
    if (job.everySeconds === undefined) await finish(this.#services.db, claimed)
    else await this.#postpone(claimed, { seconds: job.everySeconds, attempts: 0 })
  }

  async #afterFailure(job: Job<object, Services>, claimed: ClaimedJob, error: unknown) {
    const message = error instanceof Error ? error.message : String(error)
    const seconds = job.retryAfterSeconds[claimed.attempts - 1] ?? job.everySeconds
    if (seconds !== undefined) return await this.#postpone(claimed, { seconds, attempts: claimed.attempts, message })
    await this.#giveUp(job, claimed, message)
  }

  /** Whatever it does to a process, it does it no more. */
  async #setAside(job: Job<object, Services>, claimed: ClaimedJob) {
    const { id, name, payload, crashes } = claimed
    this.#services.log.error(
      { job: name, id, payload, crashes },
      'a job was set aside: each time it ran, its process ended',
    )
    await this.#giveUp(job, claimed, `Its process ended ${crashes} times while it ran`)
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

  async #postpone(claimed: ClaimedJob, next: { seconds: number; attempts: number; message?: string }) {
    const runAt = new Date(this.#services.clock.now().getTime() + next.seconds * 1_000)
    const { attempts, message } = next
    await postpone(this.#services.db, claimed, { runAt, attempts, ...(message && { error: message }) })
  }

  async #release(nodes: readonly number[]) {
    const { db, log } = this.#services
    const suspicious = [...this.#jobs.values()].filter(({ maxCrashes }) => maxCrashes !== undefined)
    const released = await releaseHeldBy(
      db,
      nodes,
      suspicious.map(({ name }) => name),
    )
    if (released === 0) return
    log.warn({ jobs: released }, 'took over jobs of a process that is gone')
    for (const { cursor, loop } of this.#lanes) {
      cursor.reset()
      loop.wake()
    }
  }

  /** While the database is away there is nothing to settle; the next round tries again. */
  async #quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#services.log[levelOf(error, 'warn')]({ error }, 'the job worker could not reach the database')
      return undefined
    }
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'
