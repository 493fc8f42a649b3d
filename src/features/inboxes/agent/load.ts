import type { Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { textOf } from '../../../mail/html-text.ts'
import { leftOf, type StoredBodies, unpacked } from '../../emails/reads.ts'
import { receivedBodiesOf, receivedOf } from '../../inbound/reads.ts'
import { MEMBER_EMAILS } from '../../people/reads.ts'
import { hasPolicy } from '../../policies/reads.ts'
import { bodiesOfMessage } from '../filing/bodies.ts'
import { type HeaderField, senderOf, TELLING_FIELDS } from './automatic.ts'
import type { AgentContext, AgentSettings } from './context.ts'
import { MAX_EARLIER_EMAILS, MAX_TEXT_LENGTH, type ShownEmail } from './prompt.ts'
import type { AgentAction } from './schema.ts'

/** The message that an agent looks at. */
export interface MessageRef {
  readonly team: string
  readonly inbox: string
  readonly email: string
}

/** More members than this are no list to choose from. */
const MAX_MEMBERS = 200

interface Found extends Omit<AgentContext, 'email' | 'done'> {
  readonly email: Omit<AgentContext['email'], 'sender'>
  readonly fields: readonly HeaderField[] | null
  readonly envelopeFrom: string | null
}

/** Of the sender. What was forwarded since then answers nobody: only mail to them does. */
const ADDRESS = sql`lower(substring(m."from" from '([^<>[:space:]]+@[^<>[:space:]]+)>?[[:space:]]*$'))`

/** Nothing when inbox, thread or message are gone, or the agent has nothing to go by. `done`: by the run for this message. */
export async function loadContext(
  db: Queryable,
  { team, inbox, email }: MessageRef,
  done: readonly AgentAction[],
): Promise<AgentContext | undefined> {
  const [row] = await db.query<Found>(sql`
    select
      json_build_object('instructions', a.instructions, 'tone', a.tone, 'actions', a.actions, 'forwardTo', a.forward_to) as agent,
      ${hasPolicy(sql`i.team_id`, sql`i.id`)} as "isGuarded",
      json_build_object('id', i.id, 'name', i.name,
        'addresses', array_remove(array[i.email_address, i.receiving_address], null)) as inbox,
      json_build_object('id', t.id, 'folder', t.folder, 'assignee', t.assignee_email, 'labels', t.labels) as thread,
      json_build_object('id', m.id, 'from', m."from",
        'isNewest', not exists (
          select from inbox_messages n
          where n.team_id = ${team} and n.thread_id = m.thread_id and n.id > m.id
            and (n.direction = 'inbound' or strpos(lower(n."to"::text || n.cc::text), coalesce(${ADDRESS}, '')) > 0)),
        'hasDraft', exists (
          select from inbox_drafts d
          where d.team_id = ${team} and d.inbox_id = i.id and d.reply_to_email_id = m.id and d.sent_at is null)) as email,
      coalesce((
        select json_agg(json_build_object('id', l.id, 'name', l.name) order by lower(l.name))
        from inbox_labels l where l.team_id = ${team} and l.inbox_id = i.id), '[]') as labels,
      coalesce((
        select json_agg(found.email) from (
          select s.email from ${MEMBER_EMAILS} s
          where s.team_id = ${team} order by s.email limit ${MAX_MEMBERS}) found), '[]') as members,
      (select json_agg(json_build_object('name', field ->> 'name', 'value', left(field ->> 'value', 200)))
        from (select b.headers from ${receivedBodiesOf({ team, id: sql`m.id` })}) b, jsonb_array_elements(b.headers) field
        where lower(field ->> 'name') = any (${TELLING_FIELDS})) as fields,
      (select e.envelope_from from ${receivedOf(team)} and e.id = m.id) as "envelopeFrom"
    from inboxes i
    join inbox_agents a on a.team_id = i.team_id and a.inbox_id = i.id
    join inbox_messages m on m.team_id = i.team_id and m.inbox_id = i.id and m.id = ${email} and m.direction = 'inbound'
    join inbox_threads t on t.team_id = m.team_id and t.id = m.thread_id
    where i.team_id = ${team} and i.id = ${inbox}`)
  if (!row || !isActive(row.agent)) return undefined
  const { fields, envelopeFrom, ...rest } = row
  // A message whose header is gone is not answered.
  const sender = envelopeFrom === null ? 'responder' : senderOf(fields ?? [], envelopeFrom)
  return { ...rest, email: { ...rest.email, sender }, done }
}

/** An agent without instructions would do what it likes, and one without actions nothing. */
const isActive = ({ instructions, actions }: AgentSettings) => Boolean(instructions?.trim()) && actions.length > 0

/** Whether one of the team's own inboxes sent it: two agents would talk to each other for ever. */
export async function isOwnAddress(db: Queryable, team: string, address: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from inboxes where team_id = ${team} and (email_address = ${address} or receiving_address = ${address}) limit 1`)
  return rows.length > 0
}

/** Of html more than this is not read: its text is made here, where others wait for it. */
const MAX_HTML_LENGTH = 100_000

interface FoundEmail extends Omit<ShownEmail, 'text' | 'length'> {
  readonly snippet: string
  readonly text: string | null
  readonly textLength: number | null
  readonly html: string | null
  readonly htmlLength: number | null
}

/** The message and what stands before it in its thread, the oldest first. */
export async function loadMail(
  db: Queryable,
  { team, inbox, email }: MessageRef,
): Promise<{ email: ShownEmail; earlier: ShownEmail[] } | undefined> {
  const rows = await db.query<FoundEmail & StoredBodies>(sql`
    with newest as (
      select m.thread_id from inbox_messages m where m.team_id = ${team} and m.inbox_id = ${inbox} and m.id = ${email})
    select m.direction, m."from", m."to", m.cc, m.subject, m.created_at as "receivedAt", m.snippet,
      coalesce((select json_agg(file ->> 'filename') from jsonb_array_elements(m.attachments) file
        where file ->> 'filename' is not null), '[]') as files,
      (select e.authentication -> 'dmarc' ->> 'result' from ${receivedOf(sql`m.team_id`)}
        and m.direction = 'inbound' and e.id = m.id) as dmarc,
      b.text, b.text_length as "textLength", b.html, b.html_length as "htmlLength", b.content
    from newest
    join inbox_messages m on m.team_id = ${team} and m.thread_id = newest.thread_id and m.id <= ${email}
    left join lateral (
      select left(c.text, ${MAX_TEXT_LENGTH + 1}::int) as text, char_length(c.text) as text_length,
        case when coalesce(c.text, '') = '' and m.id = ${email} then left(c.html, ${MAX_HTML_LENGTH}::int) end as html,
        char_length(c.html) as html_length, c.content
      from (${bodiesOfMessage(sql`b.text, b.html`)}) c) b on true
    order by m.id desc limit ${MAX_EARLIER_EMAILS + 1}`)
  const [first, ...earlier] = rows.map((row, index) => shownEmail(plain(row, index === 0)))
  return first && { email: first, earlier: earlier.reverse() }
}

/** What the statement has chosen of other bodies is chosen here of packed ones. */
function plain(row: FoundEmail & StoredBodies, isNewest: boolean): FoundEmail {
  const { html, text, ...rest } = unpacked(row)
  if (row.content === null) return { ...rest, html, text }
  return {
    ...rest,
    text: leftOf(text, MAX_TEXT_LENGTH + 1),
    textLength: text?.length ?? null,
    html: isNewest && !text ? leftOf(html, MAX_HTML_LENGTH) : null,
    htmlLength: html?.length ?? null,
  }
}

function shownEmail(row: FoundEmail): ShownEmail {
  const { snippet, textLength, html, htmlLength, ...email } = row
  if (email.text) return { ...email, text: email.text, length: textLength! }
  if (html === null) return { ...email, text: snippet, length: snippet.length }
  const text = textOf(html)
  return { ...email, text, length: text.length + Math.max(0, htmlLength! - MAX_HTML_LENGTH) }
}
