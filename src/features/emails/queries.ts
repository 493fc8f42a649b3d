import Type, { type Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { shownMoment } from '../../kernel/db/moments.ts'
import { sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { eventsAboutOne } from '../../kernel/outbox/events.ts'
import type { BroadcastContent } from '../../mail/broadcast.ts'
import type { Variables } from '../../mail/personal.ts'
import type { Clock } from '../../platform/clock.ts'
import { JOIN_BROADCAST, JOIN_RECIPIENT } from '../broadcasts/reads.ts'
import { APPROVAL_HOLD } from './delivery/ledger/approval-hold.ts'
import { NEXT_ATTEMPT } from './delivery/transport/stop-store.ts'
import { eventData, type StoredBodies, unpacked } from './reads.ts'
import { Email, EmailItem } from './schema.ts'

const ITEM_COLUMNS = columnsOf(EmailItem, 'e')

export const emailRows = (team: string): Rows => ({
  columns: ITEM_COLUMNS,
  from: sql`emails e`,
  where: sql`e.team_id = ${team}`,
  id: sql`e.id`,
  periods: { days: 7 },
})

/** Of an email `e`: not what the installation itself has sent, which on a laptop is among the mail of the team that it is about. */
export const IS_OWN = sql`e.is_system is not true`

/** The emails that the team has sent. */
export function ownEmailRows(team: string): Rows {
  const rows = emailRows(team)
  return { ...rows, where: sql`${rows.where} and ${IS_OWN}` }
}

/** The bounce is read from the events. */
const STORED = Type.Omit(Email, ['bounce'])

const columnsOfOne = (clock: Clock, { team, id }: { readonly team: string; readonly id: string }) =>
  columnsOf(STORED, 'e', {
    cc: sql`coalesce(e.cc, '[]')`,
    bcc: sql`coalesce(e.bcc, '[]')`,
    reply_to: sql`coalesce(e.reply_to, '[]')`,
    tags: sql`coalesce(e.tags, '[]')`,
    html: sql`b.html`,
    text: sql`b.text`,
    deliveries: sql`(
    select json_agg(json_build_object('recipient', d.recipient, 'state', d.state, 'attempts', d.attempts,
      'next_attempt_at', case when d.state = 'waiting' and d.holder is null and d.hold_id is distinct from ${APPROVAL_HOLD} then wire_time(${shownMoment(clock, team, NEXT_ATTEMPT)}) end,
      'replies', d.replies) order by d.position)
    from deliveries d where d.team_id = ${team} and d.email_id = ${id})`,
    events: sql`coalesce((
    select json_agg(json_build_object('type', o.type, 'created_at', wire_time(o.created_at), 'data', ${eventData('o', { team, id })}) order by o.id)
    from ${eventsAboutOne(clock, { team, id })}), '[]')`,
  })

/** What a recipient email of a broadcast is made of; its own html and text are null. */
export interface RecipientContent extends BroadcastContent {
  readonly variables: Variables | null
}

export async function findEmail(db: Queryable, team: string, id: string) {
  const [found] = await db.query<
    Static<typeof STORED> & StoredBodies & { recipientContent: RecipientContent | null }
  >(sql`
    select ${columnsOfOne(db.clock, { team, id })}, b.content,
      case when x.id is not null then json_build_object(
        'html', x.html, 'text', x.text, 'previewText', x.preview_text, 'variables', r.variables) end as "recipientContent"
    from emails e
    left join email_bodies b on b.team_id = ${team} and b.email_id = ${id}
    ${JOIN_BROADCAST} ${JOIN_RECIPIENT}
    where e.team_id = ${team} and e.id = ${id}`)
  return found && unpacked(found)
}

export async function findAttachment(db: Queryable, team: string, email: string, id: string) {
  const [attachment] = await db.query<{
    filename: string | null
    content_type: string
    size: string
    blob: string
  }>(sql`
    select filename, content_type, size, blob from email_attachments
    where team_id = ${team} and email_id = ${email} and id = ${id}`)
  return attachment
}

/** Those that its html can show. */
export const findInlineFiles = (db: Queryable, team: string, email: string) =>
  db.query<{ content_id: string; content_type: string; size: string; blob: string }>(sql`
    select content_id, content_type, size, blob from email_attachments
    where team_id = ${team} and email_id = ${email} and content_id is not null order by id`)
