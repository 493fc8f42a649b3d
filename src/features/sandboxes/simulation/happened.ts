import type { Database } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { firstIdAt } from '../../../platform/ids.ts'

/** Something that happened on the way, in the time of the sandbox. */
export interface Happening {
  readonly at: string
  readonly type: string
  readonly id?: string
  readonly to?: string[]
  readonly subject?: string
  readonly detail?: string
}

/** So many are told. */
export const MOST_TOLD = 1_000
/** Of what happened in the very moment at which an advance begins, so many are told from what it did. */
const MOST_KNOWN = 2_000
const LONGEST_DETAIL = 200

/** What is known before an advance, of the moment at which it begins. */
export type Known = readonly string[]

/** Events and attempts of webhooks of this moment that are there already. */
export async function knownAt(db: Database, team: string, from: Date): Promise<Known> {
  const first = firstIdAt(from)
  const rows = await db.queryPooled<{ id: string }>(sql`
    (select id from outbox where team_id = ${team} and id >= ${first} order by id limit ${MOST_KNOWN})
    union all
    (select id from webhook_attempts where team_id = ${team} and id >= ${first} limit ${MOST_KNOWN})`)
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

/** What has happened since: events, and what the endpoints of webhooks were told. In the order of time. */
export async function readHappened(
  db: Database,
  team: string,
  { from, to, known }: { from: Date; to: Date; known: Known },
): Promise<{ happened: Happening[]; hasMore: boolean }> {
  const first = firstIdAt(from)
  const rows = await db.queryPooled<Row>(sql`
    select at, type, id, "to", subject, left(detail, ${LONGEST_DETAIL}::int) as detail from (
      (select 0 as rank, o.id as place, o.created_at as at, o.type,
        coalesce(o.about::text, o.data ->> 'id', o.data ->> 'email_id', o.data ->> 'contact_id') as id,
        o.data -> 'to' as "to", o.data ->> 'subject' as subject,
        coalesce(o.data #>> '{bounce,message}', o.data #>> '{failed,reason}', o.data #>> '{suppressed,message}',
          o.data #>> '{click,link}', o.data ->> 'event', o.data ->> 'email') as detail
      from outbox o
      where o.team_id = ${team} and o.id >= ${first} and o.id <> all (${known}::uuid[]) and o.created_at between ${from} and ${to}
      order by o.id limit ${MOST_TOLD + 1})
      union all
      (select 1, a.id, a.sent_at, case when a.http_status_code between 200 and 299 then 'webhook.delivered' else 'webhook.failed' end,
        a.webhook_id::text, null, null, concat_ws(': ', o.type, coalesce(a.http_status_code::text, a.error))
      from webhook_attempts a left join outbox o on o.team_id = a.team_id and o.id = a.event_id
      where a.team_id = ${team} and a.id >= ${first} and a.id <> all (${known}::uuid[]) and a.sent_at between ${from} and ${to}
      order by a.id limit ${MOST_TOLD + 1})) happened
    order by at, rank, place limit ${MOST_TOLD + 1}`)
  return { happened: rows.slice(0, MOST_TOLD).map(present), hasMore: rows.length > MOST_TOLD }
}

/** The same fields for whatever it was, as far as it has them. */
const present = ({ at, type, id, to, subject, detail }: Row): Happening => ({
  at: at.toISOString(),
  type,
  ...(id !== null && { id }),
  ...(Array.isArray(to) && { to: to.map(String) }),
  ...(subject !== null && { subject }),
  ...(detail !== null && { detail }),
})
