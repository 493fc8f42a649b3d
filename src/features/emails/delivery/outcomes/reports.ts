import type { Transaction } from '../../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { eventsAbout } from '../../../../kernel/outbox/events.ts'
import { recordAll } from '../../../../kernel/outbox/record.ts'
import { parseMailbox, wireAddress } from '../../../../mail/address.ts'
import { bounceTypeOf } from '../../../../mail/bounce-type.ts'
import type { Report } from '../../../../mail/report.ts'
import { momentOf } from '../../../../platform/ids.ts'
import { mailingTeamsAt } from '../../../limits/reads.ts'
import { TEAM_IDS } from '../../../teams/reads.ts'
import { type Email, emailEventData } from '../email.ts'
import { EMAIL_COLUMNS } from '../ledger/email-fields.ts'
import { latestRows, statusOf, updateLastEvents } from '../ledger/last-events.ts'
import { addSuppressions, type NewSuppression } from '../ledger/suppressions.ts'
import { maySuppress, type ReportedEmail } from './complaint-evidence.ts'
import { bounceDetails } from './verdict.ts'

/** A recipient of an email as the ledger knows it. */
interface Row {
  readonly position: number
  readonly recipient: string
  readonly state: string
}

interface ReportedEvent {
  readonly row: Row
  readonly type: 'email.bounced' | 'email.complained' | 'email.delivery_delayed'
  readonly extra: object
  readonly reply: string
  readonly suppression: NewSuppression['origin'] | null
}

/**
 * Makes what a report says part of the email's history. That it is about a mail that we sent is known (`ReportedEmail` says how);
 * what it says about whom is still only somebody's word, and counts for recipients of this email alone.
 * Saying it twice changes nothing the second time, except that the second may prove more.
 */
export async function applyReport(trx: Transaction, about: ReportedEmail, report: Report): Promise<number> {
  const email = await findEmail(trx, about)
  if (!email) return 0
  const rows = await lockRows(trx, email)
  const reported =
    report.kind === 'bounce' ? bouncesOf(report, rows) : report.kind === 'complaint' ? complaintsOf(report, rows) : []
  const fresh = report.kind === 'complaint' ? await withoutKnown(trx, email, reported) : reported
  for (const one of fresh) await recordReported(trx, email, one)
  const suppressions = reported.flatMap(({ row: { recipient }, suppression: origin }) =>
    origin && maySuppress(about, recipient) ? [{ email: recipient, origin, sourceId: email.id }] : [],
  )
  if (suppressions.length > 0) await addSuppressions(trx, email.team, suppressions)
  return fresh.length
}

function bouncesOf(report: Extract<Report, { kind: 'bounce' }>, rows: readonly Row[]): ReportedEvent[] {
  return report.recipients.flatMap(({ recipient, action, status, diagnostic }) => {
    const row = rowOf(rows, recipient)
    if (row?.state !== 'delivered' || action !== 'failed') return []
    const bounce = bounceTypeOf(status, diagnostic)
    const message = diagnostic ?? status ?? 'The email was returned.'
    return [
      {
        row,
        type: 'email.bounced' as const,
        extra: bounceDetails(message, bounce, diagnostic ?? `smtp; ${status ?? message}`),
        reply: message,
        suppression: bounce.type === 'Permanent' ? ('bounce' as const) : null,
      },
    ]
  })
}

/** Reports of this form that are no complaint: somebody took one back, or a server tells what it thinks of a signature. */
const NO_COMPLAINT = new Set(['not-spam', 'auth-failure'])

function complaintsOf(report: Extract<Report, { kind: 'complaint' }>, rows: readonly Row[]): ReportedEvent[] {
  if (NO_COMPLAINT.has(report.feedbackType.toLowerCase())) return []
  const named = report.recipients.flatMap((recipient) => rows.find((row) => isSame(row.recipient, recipient)) ?? [])
  // Many reports leave out who complained. With one recipient there is nobody else.
  const complaining = named.length > 0 ? named : rows.length === 1 ? rows : []
  return [...new Set(complaining)].map((row) => ({
    row,
    type: 'email.complained' as const,
    extra: {},
    reply: `The recipient complained (${report.feedbackType}).`,
    suppression: 'complaint' as const,
  }))
}

/** The recipient that a report names, or the only one there is: a forwarded mail bounces from an address that we do not know. */
function rowOf(rows: readonly Row[], recipient: string | null): Row | undefined {
  const named = recipient === null ? undefined : rows.find((row) => isSame(row.recipient, recipient))
  return named ?? (rows.length === 1 ? rows[0] : undefined)
}

const isSame = (ours: string, theirs: string) => spelling(ours) === spelling(theirs)

function spelling(text: string): string {
  const address = parseMailbox(text)?.address
  return (address ? wireAddress(address) : text).toLowerCase()
}

async function recordReported(trx: Transaction, email: Email, { row, type, extra, reply }: ReportedEvent) {
  const now = trx.clock.of(email.team).now()
  const state = type === 'email.bounced' ? 'bounced' : row.state
  await trx.query(sql.write`
    update deliveries set state = ${state},
      replies = replies || jsonb_build_object('at', iso_time(${now}::timestamptz), 'reply', ${reply}::text)
    where team_id = ${email.team} and email_id = ${email.id} and position = ${row.position}`)
  const { team, id } = email
  await recordAll(trx, [{ team, type, data: { ...emailEventData(email, [row.recipient]), ...extra }, about: id }])
  await trx.query(updateLastEvents(latestRows([{ team, id, event: statusOf(type)! }])))
}

/** Who has complained already does not complain again about the same mail. */
async function withoutKnown(
  trx: Transaction,
  email: Email,
  reported: readonly ReportedEvent[],
): Promise<ReportedEvent[]> {
  const known = await trx.query<{ recipient: string }>(sql`
    select json_array_elements_text(data -> 'to') as recipient from ${eventsAbout(email)} and o.type = 'email.complained'`)
  return reported.filter(({ row }) => !known.some(({ recipient }) => isSame(recipient, row.recipient)))
}

/**
 * A return path names an email and no team. So those are asked that have sent mail when it was made, by key, and only if it is of none of them, as one
 * that was imported, all others.
 */
async function findEmail(trx: Transaction, about: ReportedEmail): Promise<Email | undefined> {
  if (about.by === 'message-id') return about.emailId === null ? findRelayed(trx, about) : findNamed(trx, about)
  const made = momentOf(about.emailId)
  // One that is not of our time is of a sandbox, or was not made here.
  const likely = made <= trx.clock.now() ? await findAmong(trx, mailingTeamsAt(made), about.emailId) : undefined
  return likely ?? findAmong(trx, TEAM_IDS, about.emailId)
}

async function findAmong(trx: Transaction, teams: Sql, emailId: string): Promise<Email | undefined> {
  const [email] = await trx.query<Email>(emailAmong(teams, emailId))
  return email
}

export const emailAmong = (teams: Sql, emailId: string): Sql =>
  sql`select ${EMAIL_COLUMNS} from ${teams} t join emails e on e.team_id = t.id and e.id = ${emailId}`

async function findNamed(
  trx: Transaction,
  { team, emailId, messageId }: { team: string; emailId: string | null; messageId: string },
): Promise<Email | undefined> {
  const [email] = await trx.query<Email>(sql`
    select ${EMAIL_COLUMNS} from emails e where e.team_id = ${team} and e.id = ${emailId} and e.message_id = ${messageId}`)
  return email
}

async function findRelayed(trx: Transaction, { team, messageId }: { team: string; messageId: string }) {
  const [email] = await trx.query<Email>(sql`
    select ${EMAIL_COLUMNS} from relayed_message_ids r join emails e on e.team_id = r.team_id and e.id = r.email_id
    where r.team_id = ${team} and r.message_id = ${messageId.toLowerCase()}`)
  return email
}

/** The ledger before the email, as everywhere. */
const lockRows = (trx: Transaction, { team, id }: Email) =>
  trx.query<Row>(sql`
    select position, recipient, state from deliveries where team_id = ${team} and email_id = ${id} order by position for update`)
