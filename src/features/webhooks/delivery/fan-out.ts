import { randomUUID } from 'node:crypto'
import type { Database } from '../../../kernel/db/database.ts'
import type { KeyedCursors } from '../../../kernel/db/keyed-cursors.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { lookUpEvent } from '../../../kernel/outbox/events.ts'
import { type Backpressure, Subscription } from '../../../kernel/outbox/subscription.ts'
import { tracing } from '../../../platform/observability/tracing.ts'
import { eventText } from '../../emails/reads.ts'
import { ClaimBatch } from './batches.ts'
import { INITIAL_WINDOW } from './endpoint-queues.ts'
import { MAX_CLAIMED_BYTES } from './large-events.ts'
import { type Claimed, type ClaimRequest, secretsOf } from './queries.ts'

/** Events that are fanned out at a time; each becomes as many rows as there are webhooks for it. */
export const FAN_OUT_EVENTS = 250
/** A team with more webhooks than this gets fewer events at a time: with 100 of them 250 events would be 25,000 rows. */
const WEBHOOKS_IN_SHARE = 20
const EVENT_COST = sql`(
  select greatest(1, count(*)) / ${raw(`${WEBHOOKS_IN_SHARE}.0`)} from webhooks w where w.team_id = waiting.team_id)`
/** As many deliveries of each team as an endpoint takes at first: they are written as one batch for each webhook, and settled together. */
const LEAST_COST = INITIAL_WINDOW / WEBHOOKS_IN_SHARE

/** Nobody else is held up by events that wait for its slots. */
const HAS_ONE_WEBHOOK = sql`(
  select count(*) = 1 from webhooks w where w.team_id = waiting.team_id and w.status = 'enabled')`

/** Events that an enabled webhook wants. */
export const wantedEvents = new Subscription('webhook_fan_outs')

/** For whom new deliveries are claimed at once, and how many of each webhook. */
export type FanOutClaim = Pick<ClaimRequest, 'node' | 'slots' | 'otherSlots' | 'except'>

/** Nobody: they are claimed later. */
const NO_CLAIM: FanOutClaim = { node: 0, slots: [], otherSlots: 0, except: [] }

export interface FanOutOptions {
  readonly cursors?: KeyedCursors
  readonly claim?: FanOutClaim
  readonly backpressure?: Backpressure
  /** Only events of these teams, at most `FAN_OUT_EVENTS` of them. */
  readonly teams?: readonly string[]
  /** No other process fans out. */
  readonly isAlone?: boolean
}

export interface FannedOut {
  readonly events: number
  readonly hasMore: boolean
  /** Teams that may have more. */
  readonly cut: readonly string[]
  /** It has looked at each team that it was to look at. */
  readonly isWhole: boolean
  readonly claimed: readonly Claimed[]
  /** Webhooks that got more than they had free slots for. */
  readonly overflowing: readonly string[]
}

/** What is read of a new delivery: the rest is the same of all of them. */
type NewDelivery = Pick<
  Claimed,
  'team' | 'webhookId' | 'eventId' | 'type' | 'createdAt' | 'bytes' | 'data' | 'trace'
> & {
  /** Of the first delivery of each webhook. */
  readonly endpoint: string | null
  readonly secrets: string | null
  readonly isClaimed: boolean
}

/**
 * Turns events into one delivery for each webhook that wants them and is older than they are. Those that their webhooks have free slots for
 * are written as batches that the node holds, under the first claim: there is nothing to claim and nothing to load any more.
 */
export async function fanOut(db: Database, now: Date, options: FanOutOptions = {}): Promise<FannedOut> {
  const { cursors, claim = NO_CLAIM, backpressure, teams, isAlone = false } = options
  const batchId = randomUUID()
  const { events, hasMore, cut, isWhole, results } = await wantedEvents.takePending<NewDelivery>(db, {
    ...(cursors && { resume: { cursors, now } }),
    ...(backpressure && { backpressure: { ...backpressure, isPatient: HAS_ONE_WEBHOOK } }),
    ...(teams && { teams }),
    isAlone,
    events: FAN_OUT_EVENTS,
    cost: EVENT_COST,
    leastCost: LEAST_COST,
    with: sql.write`
      listening as materialized (${listeningWebhooks(now, claim)}),
      events as materialized (${takenEvents()}),
      fresh as materialized (${newDeliveries()}),
      batches as (
        insert into webhook_batches (team_id, webhook_id, id, holder, claimed_at, event_ids)
        select team_id, webhook_id, ${batchId}, ${claim.node}::int, ${now}, array_agg(event_id) from fresh
        where is_claimed group by team_id, webhook_id)`,
    work: sql.write`
      insert into webhook_deliveries (team_id, webhook_id, event_id, next_attempt_at, due_at)
      select team_id, webhook_id, event_id, ${now}, ${now} from fresh where not is_claimed
      on conflict do nothing`,
    result: tracing ? TRACED_DELIVERIES : CLAIMED_DELIVERIES,
  })
  const claimed = claimedOf(results, { batchId, node: claim.node, now })
  const overflowing = results.filter(({ isClaimed }) => !isClaimed).map(({ webhookId }) => webhookId)
  return { events, hasMore, cut, isWhole, claimed, overflowing }
}

/** In the order of the events. What is the same of all deliveries of a webhook is read of its first one. */
function claimedOf(
  results: readonly NewDelivery[],
  { batchId, node, now }: { batchId: string; node: number; now: Date },
): Claimed[] {
  const webhooks = new Map<string, { endpoint: string; secrets: string; batch: ClaimBatch }>()
  for (const { webhookId, endpoint, secrets } of results)
    if (endpoint !== null)
      webhooks.set(webhookId, { endpoint, secrets: secrets!, batch: new ClaimBatch(batchId, webhookId, node) })
  const claimed: Claimed[] = []
  for (const { team, webhookId, eventId, isClaimed, type, createdAt, bytes, data, trace } of results) {
    if (!isClaimed) continue
    const { endpoint, secrets, batch } = webhooks.get(webhookId)!
    batch.unsettled++
    batch.inFlight++
    claimed.push({
      ...{ team, webhookId, eventId, endpoint, secrets, type, createdAt, bytes, data, batch },
      ...{ holder: node, claims: 1, failures: 0, isReplay: false, dueAt: now },
      ...(trace && { trace }),
    })
  }
  return claimed.sort((one, other) => (one.eventId < other.eventId ? -1 : 1))
}

/**
 * The webhooks of the teams whose events were taken, and how many free slots each has. By name in an object, since a join with a list would be one of
 * all webhooks with all that have a queue.
 */
const listeningWebhooks = (now: Date, { slots, otherSlots, except }: FanOutClaim): Sql => sql`
  select w.team_id, w.id, w.events, w.created_at, w.endpoint, ${secretsOf('w', now)} as secrets,
    case when is_sandbox(w.team_id) or w.team_id = any ((select ${except}::uuid[])::uuid[]) then 0
      else coalesce(((select ${slotsOf(slots)}::jsonb) ->> w.id::text)::int, (select ${otherSlots}::int)) end as slots
  from (select distinct team_id from taken) team join webhooks w on w.team_id = team.team_id and w.status = 'enabled'`

const slotsOf = (slots: FanOutClaim['slots']): string =>
  JSON.stringify(Object.fromEntries(slots.map((one) => [one.webhookId, one.slots])))

/**
 * Each event is looked up before it meets the webhooks: among 200 teams the planner went from each webhook to all events of its team, and compared them
 * with those that were taken.
 */
const takenEvents = (): Sql => sql`
  select taken.team_id, taken.event_id, o.type, o.created_at, o.data, o.about${tracing ? sql`, o.trace_context` : sql``}
  from taken ${lookUpEvent('taken')}`

const newDeliveries = (): Sql => sql`
  select new.*, place <= slots as is_claimed from (
    select e.team_id, w.id as webhook_id, e.event_id, w.endpoint, w.secrets, e.type, e.created_at, e.data, e.about,
      ${tracing ? sql`encode(e.trace_context, 'hex') as trace,` : sql``}
      row_number() over (partition by w.id order by e.event_id) as place, w.slots
    from events e join listening w on w.team_id = e.team_id
    where e.type = any (w.events) and w.created_at <= e.created_at) new`

/** What was claimed, and of each webhook the first that was not. Each event is taken once, so there is no delivery of it yet. */
const claimedDeliveries = ({ isTraced }: { isTraced: boolean }): Sql => sql`
  select fresh.team_id, fresh.webhook_id as "webhookId", fresh.event_id as "eventId", fresh.is_claimed as "isClaimed",
    case when fresh.place = 1 then fresh.endpoint end as endpoint, case when fresh.place = 1 then fresh.secrets end as secrets, fresh.type, iso_time(fresh.created_at) as "createdAt",
    ${isTraced ? sql`fresh.trace,` : sql``} event.*
  from fresh
  left join lateral (
    select octet_length(text.data) as bytes,
      case when octet_length(text.data) <= ${raw(String(MAX_CLAIMED_BYTES))} then text.data end as data
    from (select ${eventText('fresh')} as data offset 0) text) event on fresh.is_claimed
  where fresh.place <= fresh.slots + 1`

const CLAIMED_DELIVERIES = claimedDeliveries({ isTraced: false })
const TRACED_DELIVERIES = claimedDeliveries({ isTraced: true })
