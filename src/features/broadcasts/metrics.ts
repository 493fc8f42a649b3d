import type { Static } from 'typebox'
import type { Database } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { foldEvents } from '../metrics/index.ts'
import { type BroadcastCounts, countsOfBroadcast } from '../metrics/reads.ts'
import { firstMadeAt } from './reads.ts'
import { clickedLinkRows } from './recipients.ts'
import type { Broadcast, BroadcastMetrics } from './schema.ts'

/** What a question may take upon itself to count; the rest is left to the job. */
const MAX_UNCOUNTED_EVENTS = 10_000
/** The most clicked ones; `GET /broadcasts/:id/clicked-links` has all of them. */
const MAX_LINKS = 100

type Subject = Pick<Static<typeof Broadcast>, 'id' | 'status' | 'created_at' | 'scheduled_at' | 'sent_at' | 'counts'>

/** What became of a broadcast so far. */
export async function readBroadcastMetrics(
  db: Database,
  team: string,
  broadcast: Subject,
): Promise<Static<typeof BroadcastMetrics>> {
  await foldEvents(db, team, MAX_UNCOUNTED_EVENTS)
  const { id, status, created_at, scheduled_at, sent_at } = broadcast
  const since = (await firstMadeAt(db, team, [id]))!
  const [counted] = await db.queryPooled<BroadcastCounts>(
    sql`select * from ${countsOfBroadcast(team, id, since)} counted`,
  )
  return {
    object: 'broadcast_metrics',
    broadcast_id: id,
    ...{ status, created_at, scheduled_at, sent_at },
    ...progressOf(broadcast, counted!),
    clicked_links: await findLinks(db, team, id),
  }
}

/** Who is suppressed counts among the recipients, whether that was known before their email was made or after. */
export function progressOf({ status, counts }: Pick<Subject, 'status' | 'counts'>, counted: BroadcastCounts) {
  const made = counts.emails + counts.suppressed
  // Until all emails are made: who is left of the segment.
  const wanted = counts.audience - counts.unsubscribed - counts.not_subscribed
  const total = status === 'queued' ? Math.max(made, wanted) : made
  const sent = counted.delivered + counted.bounced
  const suppressed = counts.suppressed + counted.suppressed
  const ended = sent + suppressed + counted.failed + counts.canceled
  const share = (part: number, whole: number) => ({ total: part, percentage: percent(part, whole) })
  const base = status === 'queued' ? sent : total
  return {
    ...{ total, sent, remaining: Math.max(0, total - ended) },
    delivered: share(counted.delivered, base),
    opened: share(counted.unique_opened, base),
    clicked: share(counted.unique_clicked, base),
    unsubscribed: share(counted.unsubscribed, base),
    bounced: share(counted.bounced, base),
    complained: share(counted.complained, base),
    suppressed: share(suppressed, total),
  }
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100)

async function findLinks(db: Database, team: string, id: string) {
  const { columns, from, where } = clickedLinkRows(team, id)
  const links = await db.queryPooled<{ url: string; clicks: number; unique_clicks: number; all: number }>(sql`
    select url, clicks::float8 as clicks, unique_clicks::float8 as unique_clicks, (sum(clicks) over ())::float8 as all
    from (select ${columns} from ${from} where ${where}) link order by link.id desc limit ${MAX_LINKS}`)
  return links.map(({ all, ...link }) => ({ ...link, percentage: percent(link.clicks, all) }))
}
