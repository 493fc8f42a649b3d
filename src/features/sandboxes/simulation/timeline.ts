import type { Database } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { eventsOf, joinEvent } from '../../../kernel/outbox/events.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { eventData } from '../../emails/reads.ts'
import { attemptsOf } from '../../webhooks/reads.ts'

/** An event or a webhook attempt of an advance, in the time of the sandbox. */
export interface TimelineEntry {
  readonly at: string
  readonly type: string
  readonly id?: string
  readonly to?: string[]
  readonly subject?: string
  readonly detail?: string
}

/** Entries of one answer. */
export const MAX_ENTRIES = 1_000
/** Entries of the moment at which an advance begins, which are told from those that it made. */
const MAX_KNOWN_IDS = 2_000
const MAX_DETAIL_LENGTH = 200

/** Ids of entries of the moment at which an advance begins that were there before it. */
export type KnownIds = readonly string[]

/** Events and attempts of webhooks of this moment that are there already. */
export async function entriesAt(db: Database, team: string, from: Date): Promise<KnownIds> {
  const first = firstIdAt(from, team)
  const rows = await db.queryPooled<{ id: string }>(sql`
    (select o.id from ${eventsOf(team)} and o.id >= ${first} order by o.id limit ${MAX_KNOWN_IDS})
    union all
    (select a.id from ${attemptsOf(team)} and a.id >= ${first} limit ${MAX_KNOWN_IDS})`)
  return rows.map(({ id }) => id)
}

interface Row {
  readonly at: Date
  readonly type: string
  readonly id: string | null
  readonly to: unknown
  readonly subject: string | null
  readonly detail: string | null
}

/** What has happened since: events, and what was delivered to webhooks. In the order of time. */
export async function readTimeline(
  db: Database,
  team: string,
  { from, to, known }: { from: Date; to: Date; known: KnownIds },
): Promise<{ happened: TimelineEntry[]; hasMore: boolean }> {
  const first = firstIdAt(from, team)
  const rows = await db.queryPooled<Row>(sql`
    select at, type, id, "to", subject, left(detail, ${MAX_DETAIL_LENGTH}::int) as detail from (
      (select 0 as rank, o.id as place, o.created_at as at, o.type,
        coalesce(o.about::text, o.data ->> 'id', o.data ->> 'email_id', o.data ->> 'contact_id') as id,
        o.data -> 'to' as "to", o.data ->> 'subject' as subject,
        coalesce(o.data #>> '{bounce,message}', o.data #>> '{failed,reason}', o.data #>> '{suppressed,message}',
          o.data #>> '{click,link}', o.data ->> 'event', o.data ->> 'email') as detail
      from (
        select o.id, o.created_at, o.type, o.about, ${eventData('o')} as data
        from ${eventsOf(team)} and o.id >= ${first} and o.id <> all (${known}::uuid[]) and o.created_at between ${from} and ${to}
        order by o.id limit ${MAX_ENTRIES + 1}) o)
      union all
      (select 1, a.id, a.sent_at, case when a.http_status_code between 200 and 299 then 'webhook.delivered' else 'webhook.failed' end,
        a.webhook_id::text, null, null, concat_ws(': ', o.type, coalesce(a.http_status_code::text, a.error))
      from (
        select a.* from ${attemptsOf(team)} and a.id >= ${first} and a.id <> all (${known}::uuid[]) and a.sent_at between ${from} and ${to}) a
      left ${joinEvent('a')}
      order by a.id limit ${MAX_ENTRIES + 1})) happened
    order by at, rank, place limit ${MAX_ENTRIES + 1}`)
  return { happened: rows.slice(0, MAX_ENTRIES).map(present), hasMore: rows.length > MAX_ENTRIES }
}

/** The same fields for whatever it was, as far as it has them. */
const present = ({ at, type, id, to, subject, detail }: Row): TimelineEntry => ({
  at: at.toISOString(),
  type,
  ...(id !== null && { id }),
  ...(Array.isArray(to) && { to: to.map(String) }),
  ...(subject !== null && { subject }),
  ...(detail !== null && { detail }),
})
