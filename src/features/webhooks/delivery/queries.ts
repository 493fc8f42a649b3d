import type { Database, Queryable } from '../../../kernel/db/database.ts'
import { anyRowsOf, rowsOf } from '../../../kernel/db/rows.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { hours } from '../../../kernel/jobs/job.ts'
import { type Expired, isWithin, nextTeam, ownersIn } from '../../../kernel/jobs/retention.ts'
import { joinEvent } from '../../../kernel/outbox/events.ts'
import { FIRST_SANDBOX_ID, firstIdAt } from '../../../platform/ids.ts'
import { type TraceContext, tracing } from '../../../platform/observability/tracing.ts'
import { eventText } from '../../emails/reads.ts'
import { type ClaimBatch, releasedDeliveries } from './batches.ts'
import { MAX_CLAIMED_BYTES } from './large-events.ts'
import { RETRY_SECONDS } from './retry.ts'

/** There is something to deliver that was not there before. */
export const WEBHOOKS_CHANNEL = 'webhooks'

/** Part of the statement's text: with a limit that could be anything PostgreSQL plans at each call, which takes half a millisecond. */
export const CLAIM_ROWS = 200

/** A delivery held by this process, with all that is needed to make it. */
export interface Claimed {
  readonly team: string
  readonly webhookId: string
  readonly eventId: string
  /** The node that has it: its row in `nodes` is the lease. */
  readonly holder: number
  /** Tells one claim from any other of the same node. */
  readonly claims: number
  readonly failures: number
  /** Somebody asked for it: an attempt beside the retry schedule. */
  readonly isReplay: boolean
  readonly endpoint: string
  /** Sealed, as base64, with commas between: a text is read more quickly than a list, and this is so for every row. */
  readonly secrets: string
  readonly type: string
  readonly createdAt: string
  /** Of `data`. */
  readonly bytes: number
  /** Null: it is large, and fetched when its turn comes. */
  readonly data: string | null
  readonly dueAt: Date
  /** The span that caused the event, where its trace is sampled. */
  readonly trace?: TraceContext | null
  /** Set: it is posted straight from its event, and has no row of its own yet. */
  readonly batch?: ClaimBatch
}

export interface ClaimRequest {
  readonly node: number
  readonly now: Date
  /** The webhooks to look at, in the order in which they have their turns. Rows of one that were due before `since` are not looked at. */
  readonly webhooks: readonly { readonly webhookId: string; readonly since: Date | null }[]
  readonly slots: readonly { webhookId: string; slots: number }[]
  /** Of a webhook that is not in the list. */
  readonly otherSlots: number
  /** Teams whose webhooks hear of nothing for now. */
  readonly except: readonly string[]
  /** Looks at the events of the last days only, which are in a few partitions: a retry is of one of these. What waited longer is a replay, or of a webhook that was disabled. */
  readonly isOfLateEvents: boolean
}

/** The secrets of a webhook that sign, as one text: see `Claimed`. */
export const secretsOf = (webhook: string, now: Date): Sql => sql`(
  select string_agg(translate(encode(s.secret, 'base64'), E'\\n', ''), ',' order by s.id desc)
  from webhook_secrets s
  where s.team_id = ${raw(webhook)}.team_id and s.webhook_id = ${raw(webhook)}.id and (s.expires_at is null or s.expires_at > (select ${now}::timestamptz)))`

const EVENT_TRACE = sql`encode(o.trace_context, 'hex') as trace,`

/**
 * Takes what is due, webhook by webhook, for each no more than it has room for: a million rows of a dead one are stepped over and not through. Which
 * webhooks have something is known before (`findReady`). What was claimed lately is not walked through: see `KeyedCursors`.
 */
export function claimDue(db: Database, claim: ClaimRequest): Promise<Claimed[]> {
  const { node, now, slots } = claim
  const lateEvents = claim.isOfLateEvents ? sql`${areLate(now)} and` : sql``
  return db.queryPooled<Claimed>(sql.write`
    with due as materialized (
      select d.*, w.endpoint, w.secrets
      from ${anyRowsOf(claim.webhooks, { webhookId: 'uuid', since: 'timestamptz' }, 'waiting')}
      left join ${anyRowsOf(slots, { webhookId: 'uuid', slots: 'int' }, 'known')} on known."webhookId" = waiting."webhookId"
      cross join lateral (
        select endpoint, ${secretsOf('w', now)} as secrets
        from webhooks w where w.id = waiting."webhookId" and w.status = 'enabled' and w.team_id <> all (${claim.except}::uuid[]) limit 1) w
      cross join lateral (
        select d.team_id, d.webhook_id, d.event_id, d.is_replay_wanted or d.state <> 'pending' as is_replay
        from webhook_deliveries d
        where ${lateEvents} d.webhook_id = waiting."webhookId" and d.due_at <= ${now} and d.due_at >= coalesce(waiting.since, '-infinity') and d.holder is null
        order by d.due_at, d.event_id limit coalesce(known.slots, ${claim.otherSlots}) for update skip locked) d
      limit ${raw(String(CLAIM_ROWS))}),
    claimed as (
      update webhook_deliveries d set holder = ${node}, claims = d.claims + 1, is_replay_wanted = false
      from due where d.team_id = due.team_id and d.webhook_id = due.webhook_id and d.event_id = due.event_id
      returning d.team_id, d.webhook_id, d.event_id, d.holder, d.claims, d.failures, d.due_at, due.is_replay, due.endpoint, due.secrets)
    select c.team_id as team, c.webhook_id as "webhookId", c.event_id as "eventId", c.holder, c.claims, c.failures,
      c.due_at as "dueAt", c.is_replay as "isReplay", c.endpoint, c.secrets, o.type, iso_time(o.created_at) as "createdAt",
      ${tracing ? EVENT_TRACE : sql``}
      octet_length(event.data) as bytes, case when octet_length(event.data) <= ${raw(String(MAX_CLAIMED_BYTES))} then event.data end as data
    from claimed c ${joinEvent('c')}
    cross join lateral (select ${eventText('o')} as data offset 0) event
    order by c.event_id`)
}

const LATE_MS = (RETRY_SECONDS + hours(24)) * 1_000
/** The clock of another machine may be ahead. */
const AHEAD_MS = hours(1) * 1_000

/** Those of sandboxes are in their own time. */
const areLate = (now: Date): Sql => sql`
  (d.event_id >= ${firstIdAt(new Date(now.getTime() - LATE_MS))} and d.event_id < ${firstIdAt(new Date(now.getTime() + AHEAD_MS))}
    or d.event_id >= ${FIRST_SANDBOX_ID})`

/** What became of a claimed delivery. */
export interface SettledDelivery {
  readonly row: Pick<Claimed, 'team' | 'webhookId' | 'eventId' | 'holder' | 'claims' | 'isReplay' | 'batch'>
  readonly isSuccess: boolean
  readonly isGone: boolean
  readonly nextAttemptAt: Date | null
  /** When it was known, in the time of the team. */
  readonly at: Date
  /** Made once, so that an attempt that is written twice is kept once. */
  readonly attemptId: string
  readonly sentAt: Date
  readonly durationMs: number
  readonly status: number | null
  readonly response: string | null
  readonly error: string | null
}

export interface DisabledWebhook {
  readonly team: string
  readonly id: string
  readonly endpoint: string
  readonly failingSince: Date
}

const SETTLED_COLUMNS = {
  team: 'uuid',
  webhookId: 'uuid',
  eventId: 'uuid',
  holder: 'int',
  claims: 'int',
  isReplay: 'boolean',
  isSuccess: 'boolean',
  isGone: 'boolean',
  nextAttemptAt: 'timestamptz',
  at: 'timestamptz',
  attemptId: 'uuid',
  status: 'smallint',
  response: 'text',
  error: 'text',
  durationMs: 'int',
  sentAt: 'timestamptz',
} as const

/**
 * Writes down attempts and what follows from them, in one statement. Each attempt is kept, for it was made, unless its delivery was deleted
 * with its event meanwhile; the delivery changes only if it is still this node's. A replay that fails leaves everything as it was. An endpoint for which nothing has succeeded for
 * too long is disabled, and an event says so.
 */
export function settleAll(
  db: Queryable,
  deliveries: readonly SettledDelivery[],
  { now, disableAfterSeconds }: { now: Date; disableAfterSeconds: number },
): Promise<DisabledWebhook[]> {
  const given = deliveries.map(({ row, ...rest }) => ({ ...row, ...rest }))
  return db.query<DisabledWebhook>(sql.write`
    with given as materialized (
      select team as team_id, "webhookId" as webhook_id, "eventId" as event_id, holder, claims, "isReplay" as is_replay,
        "isSuccess" as is_success, "isGone" as is_gone, "nextAttemptAt" as next_attempt_at, at, "attemptId" as attempt_id,
        status as http_status_code, response, error, "durationMs" as duration_ms, "sentAt" as sent_at
      from ${rowsOf(given, SETTLED_COLUMNS)}),
    told as materialized (
      select given.*, d.attempt_id is not distinct from given.attempt_id as is_kept
      from given join webhook_deliveries d on d.team_id = given.team_id and d.webhook_id = given.webhook_id and d.event_id = given.event_id
      for no key update of d),
    attempts as (
      insert into webhook_attempts (team_id, webhook_id, event_id, id, http_status_code, response, error, duration_ms, sent_at)
      select team_id, webhook_id, event_id, attempt_id, http_status_code, response, error, duration_ms, sent_at from told
      where not is_kept
      on conflict do nothing),
    settled as (
      update webhook_deliveries d set
        holder = null,
        failures = d.failures + case when is_success or is_replay then 0 else 1 end,
        state = case when is_success then 'success' when is_replay then d.state
          when told.next_attempt_at is null then 'failed' else 'pending' end,
        next_attempt_at = case when is_success then null when is_replay then d.next_attempt_at
          else told.next_attempt_at end,
        due_at = case when d.is_replay_wanted then ${now} when is_success then null when is_replay then d.next_attempt_at
          else told.next_attempt_at end
      from told
      where d.team_id = told.team_id and d.webhook_id = told.webhook_id and d.event_id = told.event_id
        and d.holder is not distinct from told.holder and d.claims = told.claims),
    health as (
      select team_id, webhook_id, bool_or(is_success) as is_well, bool_or(is_gone) as is_gone, max(at) as at
      from given group by team_id, webhook_id),
    changed as (
      update webhooks w set
        failing_since = case when is_well then null else coalesce(w.failing_since, health.at) end,
        status = case when is_gone or (not is_well
          and w.failing_since <= health.at - make_interval(secs => ${disableAfterSeconds}))
          then 'disabled' else w.status end
      from health
      where w.team_id = health.team_id and w.id = health.webhook_id and w.status = 'enabled' and case
        when is_gone then true
        when is_well then w.failing_since is not null
        else w.failing_since is null
          or w.failing_since <= health.at - make_interval(secs => ${disableAfterSeconds}) end
      returning w.team_id, w.id, w.endpoint, w.failing_since, w.status)
    select team_id as team, id, endpoint, failing_since as "failingSince" from changed where status = 'disabled'`)
}

export const WEBHOOK_HOLDERS = sql`
  select holder from webhook_deliveries where holder is not null union all select holder from webhook_batches`

/** Deliveries of nodes that are gone, or that let go of them, are nobody's, and as old as they were. */
export async function releaseHeldBy(db: Queryable, nodes: readonly number[]): Promise<number> {
  const rows = await db.query(sql.write`
    with batches as (
      delete from webhook_batches where holder = any (${nodes}::int[]) returning team_id, webhook_id, claimed_at, event_ids),
    straight as (
      ${releasedDeliveries(sql`select team_id, webhook_id, claimed_at, unnest(event_ids) as event_id from batches`)} returning event_id),
    claimed as (
      update webhook_deliveries set holder = null where holder = any (${nodes}::int[]) returning event_id)
    select event_id from straight union all select event_id from claimed`)
  return rows.length
}

/** Gives back what the node holds and does not know of. */
export async function releaseUnknown(db: Queryable, node: number, known: Iterable<Claimed>) {
  await db.query(sql.write`
    with known as materialized (
      select "webhookId" as webhook_id, "eventId" as event_id from ${rowsOf([...known], { webhookId: 'uuid', eventId: 'uuid' })}),
    batches as materialized (select * from webhook_batches where holder = ${node} for update),
    straight as (
      ${releasedDeliveries(sql`
        select b.team_id, b.webhook_id, b.claimed_at, held.event_id from batches b cross join unnest(b.event_ids) held (event_id)
        where not exists (select from known where known.webhook_id = b.webhook_id and known.event_id = held.event_id)`)}),
    done as (
      delete from webhook_batches w using batches b
      where w.webhook_id = b.webhook_id and w.id = b.id and not exists (
        select from known where known.webhook_id = b.webhook_id and known.event_id = any (b.event_ids)))
    update webhook_deliveries d set holder = null
    where holder = ${node} and not exists (
      select from known where known.webhook_id = d.webhook_id and known.event_id = d.event_id)`)
}

const DELETIONS = {
  webhook_deliveries: sql.write`delete from webhook_deliveries`,
  webhook_attempts: sql.write`delete from webhook_attempts`,
}

/**
 * Deletes some of what is about events that are too old, and returns from which team on there may be more. Ids are in the order of time, so that the
 * primary key finds what is old, from one webhook to the next.
 */
export async function deleteLogBefore(
  db: Database,
  table: keyof typeof DELETIONS,
  expired: Expired,
): Promise<string | false> {
  const log = raw(table)
  const old = await db.queryPooled<LogRow>(sql`
    select old.* from ${ownersIn(log, expired, { key: sql`event_id` })} owner
    cross join lateral (
      with recursive logs (webhook_id) as (
        (select r.webhook_id from ${log} r where r.team_id = owner.team_id ${isWithin(sql`event_id`, expired.range)} order by r.webhook_id limit 1)
        union all
        select next.webhook_id from logs cross join lateral (
          select r.webhook_id from ${log} r where r.team_id = owner.team_id and r.webhook_id > logs.webhook_id
            ${isWithin(sql`event_id`, expired.range)}
          order by r.webhook_id limit 1) next)
      select webhook_id from logs) logs
    cross join lateral (
      select r.team_id as team, r.webhook_id as webhook, r.event_id as event from ${log} r
      where r.team_id = owner.team_id and r.webhook_id = logs.webhook_id ${isWithin(sql`event_id`, expired.range)}
        and r.event_id >= owner.low_id and r.event_id < owner.first_id
      order by r.event_id limit ${expired.limit}) old
    limit ${expired.limit}`)
  await deleteRows(db, table, old)
  return nextTeam(old, expired.limit)
}

interface LogRow {
  readonly team: string
  readonly webhook: string
  readonly event: string
}

async function deleteRows(db: Database, table: keyof typeof DELETIONS, rows: readonly LogRow[]) {
  if (rows.length === 0) return
  const events = rows.map(({ event }) => event).sort()
  await db.queryPooled(sql`
    ${DELETIONS[table]} l using ${rowsOf(rows, { team: 'uuid', webhook: 'uuid', event: 'uuid' })}
    where l.team_id = given.team and l.webhook_id = given.webhook and l.event_id = given.event
      and l.event_id >= ${events[0]}::uuid and l.event_id <= ${events.at(-1)}::uuid`)
}

/** Deletes some of the log of a webhook. True: there may be more. */
export async function deleteLogOf(
  db: Database,
  { team, webhookId }: { team: string; webhookId: string },
  limit: number,
): Promise<boolean> {
  let isMore = false
  for (const table of ['webhook_attempts', 'webhook_deliveries'] as const) {
    const rows = await db.queryPooled<LogRow>(sql`
      select distinct found.* from (
        select r.team_id as team, r.webhook_id as webhook, r.event_id as event from ${raw(table)} r
        where r.team_id = ${team} and r.webhook_id = ${webhookId} limit ${limit}) found`)
    await deleteRows(db, table, rows)
    isMore ||= rows.length > 0
  }
  return isMore
}

/** Whether deliveries of a webhook are under way that have no rows in the log yet. */
export async function hasBatches(db: Database, { webhookId }: { webhookId: string }): Promise<boolean> {
  const rows = await db.query(sql`select 1 as found from webhook_batches where webhook_id = ${webhookId} limit 1`)
  return rows.length > 0
}
