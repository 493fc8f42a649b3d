import type { Database } from '../../../kernel/db/database.ts'
import { shownMoment } from '../../../kernel/db/moments.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { eventsAboutOne } from '../../../kernel/outbox/events.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { requestsAnsweredWith } from '../../logs/reads.ts'
import { postsOf } from '../../webhooks/reads.ts'
import { WAITS_FOR_APPROVAL } from '../delivery/ledger/approval-hold.ts'
import type { KeptAttempt } from '../delivery/outcomes/attempt-kept.ts'
import { eventData, recipientsOf } from '../reads.ts'
import type { EmailTrace, TraceRequest } from './schema.ts'

export interface TracedEmail {
  readonly createdAt: Date
  readonly scheduledAt: Date | null
}

/** What was said to one attempt, as the ledger has it. */
export interface KeptReply {
  readonly at: string
  readonly reply: string
  readonly via?: string
  readonly session?: string
  readonly class?: string
  readonly rule?: string
  readonly about?: string
  readonly means?: string
}

export interface TracedRecipient {
  readonly position: number
  readonly recipient: string
  readonly state: EmailTrace['recipients'][number]['state']
  readonly attempts: number
  readonly destination: string | null
  readonly parkedFor: string | null
  readonly route: string | null
  readonly isInFlight: boolean
  readonly nextAttemptAt: Date | null
  readonly heldSince: Date | null
  readonly waitsForApproval: boolean
  readonly settledAt: Date | null
  readonly replies: readonly KeptReply[]
  readonly conversations: readonly (KeptAttempt & { readonly at: string })[] | null
}

export interface TracedEvent {
  readonly id: string
  readonly type: string
  readonly at: Date
  readonly data: { readonly to?: readonly string[] }
}

export interface TracedPost {
  readonly at: Date
  readonly webhookId: string
  readonly endpoint: string
  readonly event: string
  readonly statusCode: number | null
  readonly error: string | null
  readonly durationMs: number
}

interface EmailKey {
  readonly team: string
  readonly id: string
}

export async function findTracedEmail(db: Database, { team, id }: EmailKey): Promise<TracedEmail | undefined> {
  const [email] = await db.query<TracedEmail>(sql`
    select e.created_at as "createdAt", e.scheduled_at as "scheduledAt" from emails e
    where e.team_id = ${team} and e.id = ${id}`)
  return email
}

export const findTracedRecipients = (db: Database, { team, id }: EmailKey): Promise<TracedRecipient[]> =>
  db.query(sql`
    select d.position, d.recipient, d.state, d.attempts, d.destination, d.parked_for as "parkedFor", d.route, d.holder is not null as "isInFlight",
      case when d.state = 'waiting' and d.holder is null then ${shownMoment(db.clock, team, sql`d.due_at`)} end as "nextAttemptAt",
      case when d.state = 'waiting' then ${shownMoment(db.clock, team, sql`d.suspended_at`)} end as "heldSince",
      coalesce(${WAITS_FOR_APPROVAL}, false) as "waitsForApproval",
      d.settled_at as "settledAt", d.replies, d.conversations
    from ${recipientsOf({ team: sql`${team}`, id: sql`${id}` })} order by d.position`)

/** Pictures can be opened without end. */
export const MAX_EVENTS = 1_000

/** One more than are shown, if there are. */
export const findTracedEvents = (db: Database, key: EmailKey): Promise<TracedEvent[]> =>
  db.query(sql`
    select o.id, o.type, o.created_at as at, ${eventData('o', key)} as data
    from ${eventsAboutOne(db.clock, key)} order by o.id limit ${MAX_EVENTS + 1}`)

/** How these events were posted to webhooks. */
export function findTracedPosts(db: Database, team: string, events: readonly TracedEvent[]): Promise<TracedPost[]> {
  if (events.length === 0) return Promise.resolve([])
  const [ids, types] = [events.map(({ id }) => id), events.map(({ type }) => type)]
  return db.query(sql`
    select p.sent_at as at, p.webhook_id as "webhookId", p.endpoint, given.type as event, p.http_status_code as "statusCode",
      p.error, p.duration_ms as "durationMs"
    from unnest(${ids}::uuid[], ${types}::text[]) given (id, type) cross join lateral ${postsOf(team, sql`given.id`)}
    order by p.sent_at limit ${MAX_EVENTS}`)
}

/** Longer than any request takes. */
const MAX_REQUEST_MS = 120_000
const AFTERWARDS_MS = 10_000

/** The request that was answered with the email; null: it came by SMTP, was made by us, or its log entry is gone. */
export async function findRequest(
  db: Database,
  key: EmailKey,
  createdAt: Date,
): Promise<(TraceRequest & { readonly at: Date }) | null> {
  const real = db.clock.of(key.team).toReal(createdAt).getTime()
  const range = {
    from: firstIdAt(new Date(real - MAX_REQUEST_MS)),
    to: firstIdAt(new Date(real + AFTERWARDS_MS)),
  }
  const [request] = await db.query<TraceRequest & { readonly at: Date }>(sql`
    select l.id as log_id, l.method, l.endpoint, l.response_status, l.duration_ms, l.created_at as at
    from ${requestsAnsweredWith(key, range)} and l.method = 'POST' order by l.id limit 1`)
  return request ?? null
}
