import { newId } from '../../platform/ids.ts'
import { bytesOfContext, type TraceContext, tracing } from '../../platform/observability/tracing.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import { rowsOf } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { Job } from './job.ts'
import type { Expired } from './retention.ts'

export const JOBS_CHANNEL = 'jobs'

/** Announced for jobs of a kind with slots of its own: those who claim others would look for nothing. */
export const jobsChannelOf = (name: string) => `${JOBS_CHANNEL}.${name}`

export interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly payload: object
  /** Which attempt this is: those that ended, and this one. One that a process was gone in the middle of is only in `claims`. */
  readonly attempts: number
  /** The node that has it: its row in `nodes` is the lease. */
  readonly holder: number
  /** Tells one claim from any other of the same node. */
  readonly claims: number
  /** Above 0: a process ended that had it in flight. Above 1: so often less one it ended while this one ran alone. */
  readonly crashes: number
  readonly runAt: Date
  /** The span that caused it, where its trace is sampled. */
  readonly trace?: TraceContext | null | undefined
}

export interface EnqueueOptions {
  /** Due then, in real time, and not now. */
  readonly runAt?: Date
  /**
   * Names the job, among those of its kind. What is said last counts: while a job of the same key waits, a second one takes its place,
   * with its own time and payload. One that runs already may have seen nothing of this cause, so then a new one waits behind it.
   */
  readonly key?: string
}

/** Puts a job into the transaction of its cause: it can never point at something that was rolled back. */
export async function enqueue<Payload extends object>(
  trx: Transaction,
  { name, concurrency }: Job<Payload>,
  payload: Payload,
  { runAt, key }: EnqueueOptions = {},
) {
  const now = trx.clock.now()
  const row = sql`select ${newId(trx.clock)}::uuid, ${payload}::jsonb, ${runAt ?? now}::timestamptz, ${key ?? null}::text`
  const trace = causeOf(name)
  if (key === undefined) await trx.query(insertJobs(name, row, { now, trace }))
  else {
    await lockKey(trx, name, key)
    // The row is locked until the transaction ends, changed or not: no worker takes it before it can see what it is about. One that
    // is being claimed is waited for, and is not waiting any more then. Of several (`ensureWaiting`) one is left.
    await trx.query(sql.write`
      with new (id, payload, run_at, key) as (${row}),
      waiting as materialized (select id from jobs where ${isWaiting(name, key)} order by id for update),
      needless as (delete from jobs where id in (select id from waiting offset 1)),
      moved as (
        update jobs set payload = new.payload, run_at = new.run_at, attempts = 0, last_error = null
        from new where jobs.id = (select id from waiting limit 1) returning jobs.id)
      ${insertJobs(name, sql`select * from new where not exists (select from moved)`, { now, trace })}`)
  }
  trx.announce(concurrency === undefined ? JOBS_CHANNEL : jobsChannelOf(name))
}

export interface EnsureOptions extends Required<EnqueueOptions> {
  /** One that waits and is due by then will do. Unless it says otherwise it must be due by `runAt`, when a new one is. */
  readonly dueBy?: Date
}

/**
 * Makes sure that a job of this key waits that is due by then, without moving one that does: for causes that come in crowds, which would otherwise take turns at
 * its row. Nobody claims that before this transaction ends, so it sees what it is about. Two that come at once may both write one: a run too many is harmless.
 */
export async function ensureWaiting<Payload extends object>(
  trx: Transaction,
  { name, payload }: { readonly name: string; readonly payload: Payload },
  { runAt, key, dueBy = runAt }: EnsureOptions,
) {
  const waiting = await trx.query(sql`
    select id from jobs where ${isWaiting(name, key)} and run_at <= ${dueBy}::timestamptz limit 1 for share`)
  if (waiting.length > 0) return
  const row = sql`select ${newId(trx.clock)}::uuid, ${payload}::jsonb, ${runAt}::timestamptz, ${key}::text`
  await trx.query(insertJobs(name, row, { now: trx.clock.now() }))
  trx.announce(JOBS_CHANNEL)
}

/** Writes jobs of one kind; `rows` gives id, payload, run_at and key. For statements that write them together with their causes. */
export const insertJobs = (
  name: string,
  rows: Sql,
  { now, trace = null }: { readonly now: Date; readonly trace?: TraceContext | null },
): Sql => sql.write`
  insert into jobs (name, id, payload, run_at, key, created_at${trace ? sql`, trace_context` : sql``})
  select ${name}, new.*, ${now}::timestamptz${trace ? sql`, ${bytesOfContext(trace)}::bytea` : sql``} from (${rows}) new`

/** Whether a job of this key is still to be done, runs or has failed: a condition of other statements. */
export const isPending = (name: string, key: Sql): Sql =>
  sql`exists (select from jobs j where j.name = ${name} and j.key = ${key})`

/** What a job is called in traces. */
export const spanNameOf = (name: string) => `job ${name}`

/** The trace that a job goes on with: that of its cause, unless it puts itself off. One that does so for days would make a trace without an end. */
function causeOf(name: string): TraceContext | null {
  const cause = tracing?.active
  return cause && cause.name !== spanNameOf(name) ? cause.context : null
}

/** The same of jobs without a key that may be handed over (`JobHandOver`); `rows` gives id, payload, the node that holds it or null, and if they are traced the trace. */
export const insertFreshJobs = (
  name: string,
  rows: Sql,
  { now, isTraced = false }: { readonly now: Date; readonly isTraced?: boolean },
): Sql => sql.write`
  insert into jobs (name, id, payload, holder, claims, run_at, created_at${isTraced ? sql`, trace_context` : sql``})
  select ${name}, new.id, new.payload, new.holder, (new.holder is not null)::int, ${now}::timestamptz, ${now}::timestamptz
    ${isTraced ? sql`, new.trace` : sql``}
  from (${rows}) new (id, payload, holder${isTraced ? sql`, trace` : sql``})`

/** A job with a time and an id of its own. */
export interface NewJob {
  readonly id: string
  readonly name: string
  readonly payload: object
  /** In real time. */
  readonly runAt: Date
}

/** Writes jobs of any kind. `of`: what else they are selected from, and on which condition. */
export const insertNewJobs = (jobs: readonly NewJob[], now: Date, of: Sql = sql``): Sql => sql.write`
  insert into jobs (name, id, payload, run_at, created_at)
  select name, id, payload, "runAt", ${now}::timestamptz
  from ${rowsOf(jobs, { name: 'text', id: 'uuid', payload: 'jsonb', runAt: 'timestamptz' }, 'new')} ${of}`

/**
 * Ends a job in the transaction of what it does, so that it does it once, whatever becomes of the process. False: it was done before.
 * For jobs that know their id.
 */
export async function endJob(trx: Transaction, id: string): Promise<boolean> {
  const rows = await trx.query(sql.write`delete from jobs where id = ${id} returning id`)
  return rows.length > 0
}

/** Takes back what waits under this key. False: there is none, or it runs already. */
export async function cancel(trx: Transaction, { name }: Pick<Job, 'name'>, key: string): Promise<boolean> {
  await lockKey(trx, name, key)
  const rows = await trx.query(sql.write`delete from jobs where ${isWaiting(name, key)} returning id`)
  return rows.length > 0
}

/** Takes back all that waits for these teams, because they are gone. */
export const deleteJobsOf = (db: Queryable, teams: readonly string[]) =>
  db.query(sql.write`delete from jobs where payload ->> 'team' = any (${teams}::text[]) and holder is null`)

const isWaiting = (name: string, key: string) =>
  sql`jobs.name = ${name} and jobs.key = ${key} and holder is null and failed_at is null`

/** The first key of the lock on a job's key. */
const KEY_LOCK = 0x6a6f6273

/**
 * Until the transaction ends nobody else enqueues or cancels under this key. A statement of its own: the next one sees what the last
 * holder has written. A unique index would do for two that enqueue, but it would also stop a job that comes back, to be tried again or
 * because its node is gone, while another waits under its key.
 */
const lockKey = (trx: Transaction, name: string, key: string) =>
  trx.query(sql`select pg_advisory_xact_lock(${KEY_LOCK}::int, hashtext(${`${name} ${key}`}))`)

/** The key of a job that recurs: there is one row of it, which is never deleted. */
const RECURRING = 'recurring'

/** Makes sure that each recurring job has its row. */
export async function ensureRecurring(db: Queryable, jobs: readonly Job[]) {
  for (const { name, everySeconds } of jobs) {
    if (everySeconds === undefined) continue
    const now = db.clock.now()
    const row = sql`select ${newId(db.clock)}::uuid, '{}'::jsonb, ${now}::timestamptz, ${RECURRING}::text`
    await db.query(
      sql`${insertJobs(name, row, { now })} on conflict (name) where key = ${raw(`'${RECURRING}'`)} do nothing`,
    )
  }
}

/** What a recurring job is told when it runs the next time. */
export const writeRecurringPayload = (db: Queryable, name: string, payload: object) =>
  db.query(sql.write`update jobs set payload = ${payload}::jsonb where name = ${name} and key = ${RECURRING}`)

/** So far into the line of a team that has enough it is looked for jobs of others: a flood of a million must not be walked each time. */
const LOOK_AHEAD = 1_000

/**
 * Takes due jobs for this node. Skipping locked rows lets any number of workers claim at once without waiting. A single name is an
 * equation, for which the index gives the jobs in order: of a flood only what is taken is read. Materialized, since a plan that
 * looked twice would find others the second time, and claim more than it may.
 */
export function claimDue(
  db: Queryable,
  claim: {
    names: readonly string[]
    node: number
    now: Date
    since: Date | null
    limit: number
    /** How many jobs of each team run already, and how many may. Those of a team that has enough are passed over. */
    teams: ReadonlyMap<string, number>
    perTeam: number
    /** True: only jobs that crashed a worker before (possible poison messages). False: only the others. */
    isForCrashed: boolean
  },
): Promise<ClaimedJob[]> {
  const slots = [...claim.teams].map(([team, running]) => ({ team, free: claim.perTeam - running }))
  const full = slots.filter(({ free }) => free <= 0).map(({ team }) => team)
  const isDue = sql`
    failed_at is null and holder is null and ${claim.isForCrashed ? sql`crashes > 0` : sql`crashes = 0`}
    and run_at <= ${claim.now}::timestamptz and run_at >= ${claim.since ?? '-infinity'}::timestamptz
    and ${claim.names.length === 1 ? sql`name = ${claim.names[0]}` : sql`name = any (${claim.names})`}`
  const isOfOthers = sql`id in (select id from jobs where ${isDue} order by run_at limit ${raw(String(LOOK_AHEAD))})
    and coalesce(payload->>'team' <> all (${full}::text[]), true)`
  return db.query<ClaimedJob>(sql.write`
    with due as materialized (
      select id as due_id, payload->>'team' as team, run_at as due_at from jobs
      where ${isDue} ${full.length > 0 ? sql`and ${isOfOthers}` : sql``}
      order by run_at limit ${claim.limit} for update skip locked),
    numbered as (
      select due_id, team, row_number() over (partition by team order by due_at) as number from due)
    update jobs set claims = claims + 1, holder = ${claim.node}, is_alone = false
    from numbered
    left join ${rowsOf(slots, { team: 'text', free: 'float8' }, 'known')} on known.team = numbered.team
    where id = due_id and (numbered.team is null or number <= coalesce(free, ${claim.perTeam}))
    returning id, name, payload, attempts + 1 as attempts, holder, claims, crashes, run_at as "runAt"${tracing ? sql`, encode(trace_context, 'hex') as trace` : sql``}`)
}

// A settled or re-claimed job is not settled again by a late worker: its holder or the number of its claims is another one.
const stillOurs = ({ id, holder, claims }: ClaimedJob) => sql`id = ${id} and holder = ${holder} and claims = ${claims}`

export const finish = (db: Queryable, job: ClaimedJob) => db.query(sql.write`delete from jobs where ${stillOurs(job)}`)

/** Due again at a later time: after a failure, after the pause of a recurring job, or handed back when the process stops. */
export const postpone = (db: Queryable, job: ClaimedJob, next: { runAt: Date; attempts: number; error?: string }) =>
  db.query(sql.write`
    update jobs set run_at = ${next.runAt}, attempts = ${next.attempts}, holder = null, last_error = ${next.error ?? null}
    where ${stillOurs(job)}`)

/** True when the job was still ours, so that only one worker ever gives up on it. */
export async function fail(db: Queryable, job: ClaimedJob, error: string): Promise<boolean> {
  const rows = await db.query(sql.write`
    update jobs set failed_at = ${db.clock.now()}, attempts = ${job.attempts}, holder = null, last_error = ${error}
    where ${stillOurs(job)} returning id`)
  return rows.length > 0
}

export const JOB_HOLDERS = sql`select holder from jobs where holder is not null`

/** From now on a crash is evidence against it. False: it is not ours any more. */
export async function markAlone(db: Queryable, job: ClaimedJob): Promise<boolean> {
  const rows = await db.query(sql.write`update jobs set is_alone = true where ${stillOurs(job)} returning id`)
  return rows.length > 0
}

/**
 * Releases the jobs of dead nodes. Those that read untrusted input may be poison messages, which the node died of: most likely the ones
 * that ran alone.
 */
export async function releaseHeldBy(
  db: Queryable,
  nodes: readonly number[],
  untrusted: readonly string[] = [],
): Promise<number> {
  const rows = await db.query(sql.write`
    update jobs set holder = null, is_alone = false,
      crashes = crashes + (name = any (${untrusted}::text[]) and (crashes = 0 or is_alone))::int
    where holder = any (${nodes}::int[]) returning id`)
  return rows.length
}

/** Gives back what the node holds and does not know of. Nobody has begun it. */
export const releaseUnknown = (db: Queryable, node: number, known: Iterable<ClaimedJob>) =>
  db.query(sql.write`
    update jobs set holder = null
    where holder = ${node} and id <> all (${[...known].map(({ id }) => id)}::uuid[])`)

/** Deletes some of what failed long ago, and returns whether there may be more. */
export async function deleteFailedJobsBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from jobs where id in (select id from jobs where failed_at < ${moment} limit ${limit}) returning id`)
  return rows.length === limit
}

/** Whether somebody runs a job of this name at the moment. */
export async function isJobHeld(db: Queryable, name: string): Promise<boolean> {
  const held = await db.query(sql`select from jobs where name = ${name} and holder is not null limit 1`)
  return held.length > 0
}

/** Jobs `j` of a kind that were there at a moment and are not done. */
export const unfinishedSince = (name: string, moment: Date): Sql =>
  sql`jobs j where j.name = ${name} and j.failed_at is null and j.created_at <= ${moment}`
