import type { Queryable } from '../../../../kernel/db/database.ts'
import { anyRowsOf, rowsOf } from '../../../../kernel/db/rows.ts'
import { join, raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import { insertNewJobs, type NewJob } from '../../../../kernel/jobs/queries.ts'
import { insertNewEvents, type NewEvent } from '../../../../kernel/outbox/record.ts'
import type { KeptAttempt } from '../outcomes/attempt-kept.ts'
import type { ErasedAddresses } from './erased-addresses.ts'
import { type LatestEvent, latestRows, updateLastEvents } from './last-events.ts'
import type { StoredClassification } from './stored-classification.ts'

export const DELIVERIES_CHANNEL = 'deliveries'

/** A row of the ledger held by this process. */
export interface Claimed {
  readonly team: string
  readonly emailId: string
  readonly position: number
  readonly recipient: string
  /** Which attempt this is: those that came to something, and this one. Claims that came to nothing are only in `claims`. */
  readonly attempts: number
  /** No attempt has come to anything yet, not even to a temporary failure. */
  readonly isUnanswered: boolean
  /** The node that has it: its row in `nodes` is the lease. */
  readonly holder: number
  /** Tells one claim from any other of the same node. */
  readonly claims: number
  readonly dueAt: Date
  readonly giveUpAt: Date
  /** The destination that had no slot for it when it was looked at last. */
  readonly parkedFor: string | null
  /** The way that it was moved to, or that may have taken it. Unset: it was accepted just now, and the rules decide. */
  readonly route?: string | null
  /** Where it went when it was put back last: the provider or site. Null: nobody has looked, or it was never put back. */
  readonly destination: string | null
}

/** How much of a priority to take, and from where. */
export interface ClaimOf {
  readonly priority: number
  readonly limit: number
  readonly since: Date | null
}

/**
 * Takes due rows of each priority, the oldest first. A claim leaves `due_at` alone: what holds a row is its `holder`, for as long as that
 * node's lease is valid by the monotonic clocks of the others, so no jump of time gives away what is being sent. Skipping locked rows lets any number of workers claim at once. Materialized,
 * since a plan that looked twice would find others the second time, and claim more than it may.
 */
export function claimDue(
  db: Queryable,
  { node, now, of }: { node: number; now: Date; of: readonly ClaimOf[] },
): Promise<(Claimed & { readonly priority: number })[]> {
  const due = ({ priority, limit, since }: ClaimOf) => sql`
    select * from (
      select ${CLAIMED_KEY} from deliveries
      where state = 'waiting' and holder is null and suspended_at is null and priority = ${priority}
        and due_at <= ${now}::timestamptz and due_at >= ${since ?? '-infinity'}::timestamptz
      order by due_at limit ${limit} for update skip locked) due_of_priority`
  return claim(db, node, of.map(due))
}

/** How much to take of what is parked. */
export interface FetchOf {
  readonly queue: { readonly destination: string; readonly priority: number }
  readonly limit: number
}

/** Takes parked rows, due or not: there is room for them now. */
export function claimParked(db: Queryable, { node, of }: { node: number; of: readonly FetchOf[] }) {
  const parked = ({ queue, limit }: FetchOf) => sql`
    select * from (
      select ${CLAIMED_KEY} from deliveries
      where state = 'waiting' and holder is null and parked_for = ${queue.destination} and priority = ${queue.priority}
      order by due_at limit ${limit} for update skip locked) parked_in_queue`
  return claim(db, node, of.map(parked))
}

const CLAIMED_KEY = sql`team_id, email_id, position, parked_for`

/**
 * What is fetched from parked mail has no far `due_at` any more: whichever way it comes back without another (its process died, stops, or sets it
 * aside) it is due at once, as any other claimed row.
 */
const claim = (db: Queryable, node: number, parts: readonly Sql[]) =>
  db.query<Claimed & { readonly priority: number }>(sql.write`
    with due as materialized (${join(parts, ' union all ')})
    update deliveries d set claims = claims + 1, holder = ${node}, parked_for = null,
      due_at = case when due.parked_for is null then d.due_at else least(d.due_at, ${db.clock.now()}::timestamptz) end
    from due
    where d.state = 'waiting' and d.team_id = due.team_id and d.email_id = due.email_id and d.position = due.position
    returning d.team_id as team, d.email_id as "emailId", d.position, d.recipient, d.attempts + 1 as attempts,
      d.replies = '[]' as "isUnanswered",
      d.holder, d.claims, d.priority, d.due_at as "dueAt", d.give_up_at as "giveUpAt", due.parked_for as "parkedFor", d.destination, d.route`)

/** More are found the next time: by then these have gone, or are stopped. */
const MAX_PARKED_QUEUES = 20_000

/** For which destinations and priorities mail is parked. Walks from one to the next, an index probe each. */
export const findParkedQueues = (db: Queryable) =>
  db.query<FetchOf['queue']>(sql`
    with recursive queues (parked_for, priority) as (
      (select parked_for, priority from deliveries where ${IS_PARKED} order by parked_for, priority limit 1)
      union all
      select next.parked_for, next.priority from queues cross join lateral (
        select parked_for, priority from deliveries
        where ${IS_PARKED} and (parked_for, priority) > (queues.parked_for, queues.priority)
        order by parked_for, priority limit 1) next)
    select parked_for as destination, priority from queues limit ${MAX_PARKED_QUEUES}`)

const IS_PARKED = sql`state = 'waiting' and holder is null and parked_for is not null`

/** What becomes of a claimed row. */
export interface SettledRow {
  readonly row: Claimed
  readonly state: 'waiting' | 'delivered' | 'bounced' | 'suppressed' | 'failed'
  /** When a waiting row is due again; null: it stays as it was. */
  readonly dueAt: Date | null
  /** What the other side said, or why it was not asked. */
  readonly reply: string
  /** What the reply was understood as; it is kept with it. Nothing for a yes. */
  readonly understood?: StoredClassification
  /** Of one that was taken: where, in short (`viaOf`). It is kept with the reply. */
  readonly via?: string
  /** Of the same: how it went, in short (`sessionOf`). */
  readonly session?: string
  /** Of an attempt that was not taken: how it went. */
  readonly kept?: KeptAttempt
  /** False for a row that is given back untried: the retry schedule climbs by attempts, never by claims. */
  readonly isAttempt: boolean
  /** Set: it is no attempt, and what was said is noted all the same, unless it is what was said last. */
  readonly isNote?: boolean
  /** Of a waiting row: the destination that has no slot for it. A node that has one takes it before it is due. */
  readonly parkedFor?: string
  /** The route that may have taken it, and keeps it. */
  readonly pinnedTo?: string
  /** Of a waiting row: the provider or site that it goes to. Unset: as it was. */
  readonly destination?: string
}

/** With when it was settled, in the time of its team. */
export type SettledRowAt = SettledRow & { readonly at: Date }

/** The emissions of settled rows, the status that they may give their emails, and what is to be done afterwards. */
export interface Emissions {
  readonly events: readonly NewEvent[]
  readonly latest: readonly LatestEvent[]
  readonly jobs: readonly NewJob[]
  /** What a relay calls the emails that it has taken. */
  readonly relayed: readonly RelayedEmail[]
  /** What wakes other processes with the commit: see `Signals.announceWith`. */
  readonly notified?: Sql | null
}

/** An email with the Message-ID that a relay has given it. */
export interface RelayedEmail {
  readonly team: string
  readonly emailId: string
  readonly messageId: string
}

/**
 * Settles rows if all of them are still this node's, and writes the emissions, in one statement: nothing of it is seen without the
 * rest. Otherwise it changes nothing. Returns which rows are this node's: a late worker's are not.
 * A row that is final leaves the queue: by its new state PostgreSQL moves it into history, in the same statement.
 * What only tests a row is written so that no index fits: with `holder = …` the planner walks everything that the node holds,
 * once for each row. The limits leave nothing out: they let the planner expect few rows (`latestRows`).
 */
export async function settleAll(
  db: Queryable,
  settledRows: readonly SettledRowAt[],
  { events, latest, jobs, relayed, notified = null }: Emissions,
): Promise<number[]> {
  const isPinning = settledRows.some(({ pinnedTo }) => pinnedTo !== undefined)
  const pin = isPinning ? sql`route = coalesce(given."pinnedTo", d.route),` : sql``
  // Seldom, and then for the few that were not taken: a statement without the column costs nothing for it.
  const isKept = settledRows.some(({ kept }) => kept !== undefined)
  const rows = await db.query<{ index: number }>(sql.write`
    with given as materialized (
      select * from ${anyRowsOf(
        settledRows.map((settledRow, index) => ({
          index,
          ...keyOf(settledRow.row),
          ...settledRow,
          details: detailsOf(settledRow),
        })),
        {
          index: 'int',
          team_id: 'uuid',
          email_id: 'uuid',
          position: 'smallint',
          holder: 'int',
          claims: 'int',
          state: 'text',
          dueAt: 'timestamptz',
          reply: 'text',
          details: 'jsonb',
          ...(isKept && { kept: 'jsonb' as const }),
          isAttempt: 'boolean',
          isNote: 'boolean',
          parkedFor: 'text',
          destination: 'text',
          at: 'timestamptz',
          ...(isPinning && ({ pinnedTo: 'text' } as const)),
        },
      )} limit ${settledRows.length}),
    held as materialized (
      select given.index from given join deliveries d using (team_id, email_id, position)
      where d.state = 'waiting' and d.holder is not distinct from given.holder and d.claims = given.claims
      order by team_id, email_id, position for update of d),
    verdict as (select count(*) = ${settledRows.length} as is_whole from held),
    settled as (
      update deliveries d set
        ${pin} state = given.state, holder = null, parked_for = given."parkedFor", due_at = coalesce(given."dueAt", d.due_at),
        destination = coalesce(given.destination, d.destination),
        settled_at = case when given.state = 'waiting' then null else given.at end,
        attempts = d.attempts + case when "isAttempt" then 1 else 0 end,
        replies = case when "isAttempt" or ("isNote" and (d.replies -> -1 ->> 'reply') is distinct from reply
            and jsonb_array_length(d.replies) < ${MAX_DEFERRALS_LOGGED})
          then d.replies || (jsonb_build_object('at', iso_time(given.at), 'reply', reply) || coalesce(given.details, '{}')) else d.replies end
        ${isKept ? sql`, conversations = ${CONVERSATIONS}` : sql``}
      from given, verdict
      where is_whole and d.state = 'waiting' and d.team_id = given.team_id and d.email_id = given.email_id and d.position = given.position),
    ${jobs.length > 0 ? sql`new_jobs as (${insertNewJobs(jobs, db.clock.now(), sql`, verdict where is_whole`)}),` : sql``}
    ${relayed.length > 0 ? sql`relayed as (${insertRelayed(relayed)}),` : sql``}
    new_events as (${insertNewEvents(db.clock, events, sql`, verdict where is_whole`)}),
    last_events as (${updateLastEvents(sql`(select latest.* from ${latestRows(latest)} as latest, verdict where is_whole)`)})
    select index from held ${notified ? sql`where ${notified}` : sql``}`)
  return rows.map(({ index }) => index).sort((a, b) => a - b)
}

/** What is kept with a reply. */
const detailsOf = ({ understood, via, session }: SettledRow) =>
  via === undefined ? understood : { ...understood, via, session }

/** Those of the last attempts that were not taken: each can have 7 kB. */
const MAX_CONVERSATIONS = 3
const CONVERSATIONS = sql`
  case when given.kept is null then d.conversations
    else case when jsonb_array_length(d.conversations) >= ${raw(String(MAX_CONVERSATIONS))} then d.conversations - 0
      else coalesce(d.conversations, '[]') end || (jsonb_build_object('at', iso_time(given.at)) || given.kept) end`

const insertRelayed = (relayed: readonly RelayedEmail[]) => sql.write`
  insert into relayed_message_ids (team_id, email_id, message_id)
  select given.team, given."emailId", given."messageId"
  from ${rowsOf(relayed, { team: 'uuid', emailId: 'uuid', messageId: 'text' }, 'given')}, verdict
  where is_whole on conflict do nothing`

/** A note that is no attempt comes once a minute, at worst, for 72 hours. */
const MAX_DEFERRALS_LOGGED = 50

/** What finds a claimed row, and shows whether the claim still holds. */
const keyOf = ({ team, emailId, position, holder, claims }: Claimed) => ({
  team_id: team,
  email_id: emailId,
  position,
  holder,
  claims,
})

export const DELIVERY_HOLDERS = sql`select holder from deliveries where state = 'waiting' and holder is not null`

/** Rows of nodes that are gone are nobody's, and as old as they were. */
export async function releaseHeldBy(db: Queryable, nodes: readonly number[]): Promise<number> {
  const rows = await db.query(sql.write`
    update deliveries set holder = null where state = 'waiting' and holder = any (${nodes}::int[]) returning position`)
  return rows.length
}

/** Gives back what the node holds and does not know of. Nobody has tried it. */
export async function releaseUnknown(db: Queryable, node: number, known: Iterable<Claimed>): Promise<number> {
  const rows = [...known]
  const released = await db.query(sql.write`
    update deliveries d set holder = null
    where state = 'waiting' and holder = ${node} and not exists (
      select from ${rowsOf(rows, { emailId: 'uuid', position: 'smallint' }, 'known')}
      where known."emailId" = d.email_id and known.position = d.position)
    returning position`)
  return released.length
}

/** Releases rows for later when their outcome is unknown, and each of them has its own time. */
export const postponeAll = (db: Queryable, rows: readonly { row: Claimed; dueAt: Date }[]) =>
  db.query(sql.write`
    update deliveries d set holder = null, due_at = later.due_at
    from ${rowsOf(
      rows.map(({ row, dueAt }) => ({ ...keyOf(row), due_at: dueAt })),
      {
        team_id: 'uuid',
        email_id: 'uuid',
        position: 'smallint',
        holder: 'int',
        claims: 'int',
        due_at: 'timestamptz',
      },
      'later',
    )}
    where d.state = 'waiting' and d.team_id = later.team_id and d.email_id = later.email_id and d.position = later.position
      and d.holder is not distinct from later.holder and d.claims = later.claims`)

/** A recipient whom its team must not write to, and why. */
export interface Suppressed {
  readonly team: string
  readonly recipient: string
  readonly origin: 'bounce' | 'complaint' | 'manual'
}

/** Which of these recipients are on the suppression list. */
export function findSuppressed(
  db: Queryable,
  rows: readonly Claimed[],
  erased: ErasedAddresses | null = null,
): Promise<Suppressed[]> {
  // Each recipient under its address, and under the names that it has if it was erased.
  const names = rows.flatMap(({ team, recipient }) =>
    [recipient, ...(erased?.namesFor(recipient) ?? [])].map((name) => ({ team, recipient, name })),
  )
  return db.query(sql`
    select distinct on (r.team, r.recipient) r.team, r.recipient, s.origin
    from (select distinct * from ${rowsOf(names, { team: 'uuid', recipient: 'text', name: 'text' })}) r
    join suppressions s on s.team_id = r.team and lower(s.email) = lower(r.name)`)
}
