import type { Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { type RowKey, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { type Bodies, unpackBodies } from '../../mail/packed-bodies.ts'
import type { Steps } from '../../mail/steps.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import type { Email } from './delivery/email.ts'
import { EMAIL_COLUMNS } from './delivery/ledger/email-fields.ts'
import { MAX_HEAD_BYTES } from './delivery/message/weight.ts'
import { hasRecipient } from './filter.ts'

// What others read of emails and their recipients: functions, and pieces of SQL that stay one statement with the rest of it. A piece calls
// an email `e`, its bodies `b`, an attachment `a`, a recipient `d`. After one with `where` another condition may follow.

/** The emails of a team. */
export const emailsOf = (team: string | Sql): Sql => sql`emails e where e.team_id = ${team}`

/** Mail of a team that waits for approval, or did, `a`: its `email_id`, `policy_id` and `status`. */
export const approvalsOf = (team: string | Sql): Sql => sql`approvals a where a.team_id = ${team}`

/** Of an email `e`: one of its recipients has the address. */
export const wentTo = (address: string): Sql => hasRecipient(address)

/** What is to leave later, waits for approval, or never will, has not left. */
export const HAS_LEFT = sql`e.last_event not in ('queued', 'scheduled', 'canceled')`

export const joinEmail = ({ team, id }: RowKey): Sql => sql`join emails e on e.team_id = ${team} and e.id = ${id}`

/** Of an event: it leaves out nothing, or is about no email. */
const isWhole = (event: Sql): Sql => sql`(${event}.about is null or ${event}.data -> 'email_id' is not null)`

/** As text, with what the row of its email says. Without that row, or with one that is too long for any mail, it says what it has. */
function completed(event: Sql, { team, id }: RowKey): Sql {
  const own = sql`case when ${event}.data::text = '{}' then '}' else ',' || substr(${event}.data::text, 2) end`
  return sql`coalesce((
    select concat('{"email_id":"', e.id, '","created_at":"', iso_time(e.created_at), '","from":', to_json(e."from"),
      case when ${event}.data -> 'to' is null then ',"to":' || e."to"::text end,
      ',"subject":', to_json(e.subject), ',"message_id":', to_json(e.message_id), ${own})
    from emails e where e.team_id = ${team} and e.id = ${id}
      and octet_length(e.subject) + octet_length(e."to"::text) <= ${raw(String(MAX_HEAD_BYTES))}), concat('{"email_id":"', ${event}.about, '"', ${own}))`
}

/**
 * What an event of the outbox says, as text; `alias` has its team_id, about and data. Most events about an email leave out what the email says
 * (`briefEventData`), and are known by that they have no `email_id`.
 */
export const eventText = (alias: string): Sql => {
  const event = raw(alias)
  return sql`case when ${isWhole(event)} then ${event}.data::text else ${completed(event, emailOf(alias))} end`
}

/** The same, as JSON. Whoever reads the events of one email says which: that leaves one partition to be looked at, and the others are not even opened. */
export const eventData = (alias: string, email: RowKey = emailOf(alias)): Sql => {
  const event = raw(alias)
  return sql`case when ${isWhole(event)} then ${event}.data else (${completed(event, email)})::json end`
}

const emailOf = (event: string): RowKey => ({ team: raw(`${event}.team_id`), id: raw(`${event}.about`) })

/** Emails with their bodies. The bodies of a recipient email of a broadcast are null: its content is the broadcast's. */
export const EMAILS_WITH_BODIES = sql`
  emails e left join email_bodies b on b.team_id = e.team_id and b.email_id = e.id`

/** How many bytes the bodies `b` have. What is stored elsewhere, or packed, is not fetched for it. */
export const bytesOfHtml = (b: Sql = sql`b`): Sql =>
  sql`coalesce(octet_length(${b}.html), packed_bytes(${b}.content, 1))`
export const bytesOfText = (b: Sql = sql`b`): Sql =>
  sql`coalesce(octet_length(${b}.text), packed_bytes(${b}.content, 4))`

/** Bodies as they are stored: `b.html` and `b.text`, or `b.content`, from which `unpacked` makes these. */
export interface StoredBodies extends Bodies {
  readonly content: Buffer | null
}

export function unpacked<Row extends StoredBodies>({ content, ...row }: Row): Omit<Row, 'content'> {
  if (content === null) return row
  const { html, text } = unpackBodies(content)
  return { ...row, html: row.html ?? html, text: row.text ?? text }
}

/** The same of many, with room for other work in between. */
export const allUnpacked = <Row extends StoredBodies>(rows: readonly Row[]): Promise<Omit<Row, 'content'>[]> =>
  inTurns(unpackingOf(rows))

function* unpackingOf<Row extends StoredBodies>(rows: readonly Row[]): Steps<Omit<Row, 'content'>[]> {
  const all: Omit<Row, 'content'>[] = []
  for (const row of rows) {
    all.push(unpacked(row))
    yield
  }
  return all
}

/** As `left` of PostgreSQL, for what was unpacked. */
export const leftOf = (text: string | null, length: number): string | null =>
  text === null || text.length <= length ? text : text.slice(0, length).toWellFormed()

/** What came by SMTP, `s`, beside `e`: it has a size of its own. */
export const JOIN_SUBMITTED = sql`left join submitted_messages s on s.team_id = e.team_id and s.email_id = e.id`

export const bodiesOf = ({ team, id }: RowKey): Sql =>
  sql`email_bodies b where b.team_id = ${team} and b.email_id = ${id}`

export const attachmentsOf = ({ team, id }: RowKey): Sql => sql`
  email_attachments a where a.team_id = ${team} and a.email_id = ${id}`

/** The team of an email of which only the id is known: every team is asked, by key. */
export const teamOfEmail = (id: Sql): Sql => sql`(
  select e.team_id from teams t join emails e on e.team_id = t.id and e.id = ${id} limit 1)`

/** The recipients that nobody has settled yet. */
export const waitingOf = (team: string): Sql => sql`deliveries d where d.team_id = ${team} and d.state = 'waiting'`

/** The recipients of an email; a condition may follow. */
export const recipientsOf = ({ team, id }: RowKey): Sql =>
  sql`deliveries d where d.team_id = ${team} and d.email_id = ${id}`

/** A condition: every recipient of an email was settled before a moment. Mail that waits, is scheduled or held has not ended. */
export const hasEndedBefore = ({ team, id }: RowKey, moment: Sql): Sql => sql`
  not exists (
    select from deliveries d where d.team_id = ${team} and d.email_id = ${id} and (d.state = 'waiting' or d.settled_at >= ${moment}))`

/** A team whose mail of a range of ids waits, or was settled since a moment; null: none. */
export const teamUnderWay = ({ from, to }: { from: string; to: string }, moment: Date): Sql => sql`
  coalesce(
    (/* of all teams */ select d.team_id from deliveries d
      where d.email_id >= ${from}::uuid and d.email_id < ${to}::uuid and d.state = 'waiting' limit 1),
    (select d.team_id from deliveries d
      where d.email_id >= ${from}::uuid and d.email_id < ${to}::uuid and d.state <> 'waiting' and d.settled_at >= ${moment} limit 1))`

export const joinDeliveries = ({ team, id }: RowKey): Sql =>
  sql`join deliveries d on d.team_id = ${team} and d.email_id = ${id}`

/** The suppression of the address, `s`, if there is one. */
export const joinSuppression = (team: string | Sql, address: Sql): Sql => sql`
  left join suppressions s on s.team_id = ${team} and lower(s.email) = lower(${address})`

/** The suppression `s` of an address; a condition may follow. */
export const suppressionOf = (team: string, address: string): Sql => sql`
  suppressions s where s.team_id = ${team} and lower(s.email) = lower(${address})`

export async function findEmail(db: Queryable, team: string, id: string): Promise<Email | undefined> {
  const [email] = await db.query<Email>(sql`select ${EMAIL_COLUMNS} from ${emailsOf(team)} and e.id = ${id}`)
  return email
}

export interface EmailWithRecipients extends Email {
  readonly recipients: readonly { readonly address: string; readonly settledAt: string | null }[]
}

export const findWithRecipients = (
  db: Queryable,
  wanted: readonly { readonly team: string; readonly email: string }[],
): Promise<EmailWithRecipients[]> =>
  db.query<EmailWithRecipients>(sql`
    select ${EMAIL_COLUMNS}, (
      select json_agg(json_build_object('address', d.recipient, 'settledAt', d.settled_at) order by d.position)
      from deliveries d where d.team_id = e.team_id and d.email_id = e.id) as recipients
    from (select distinct team as team_id, email as id from ${rowsOf(wanted, { team: 'uuid', email: 'uuid' })}) wanted
    join emails e using (team_id, id)`)

export async function hasScheduledEmails(db: Queryable, team: string, domainId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as found from ${emailsOf(team)} and e.domain_id = ${domainId} and e.last_event in ('queued', 'scheduled') limit 1`)
  return rows.length > 0
}

/** Our Message-IDs in the place of those that a relay has given to our mail. */
export const findRelayedIds = (db: Queryable, team: string, relayed: readonly string[]) =>
  db.query<{ relayed: string; ours: string }>(sql`
    select r.message_id as relayed, e.message_id as ours
    from relayed_message_ids r join emails e on e.team_id = r.team_id and e.id = r.email_id
    where r.team_id = ${team} and r.message_id = any (${relayed})`)

/** Whether one of a few teams has an email. */
export async function isEmailOfTeams(db: Queryable, teams: readonly string[], id: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 as found from emails e where e.team_id = any (${teams}::uuid[]) and e.id = ${id}`,
  )
  return rows.length > 0
}
