import type { Transaction } from '../../../../kernel/db/database.ts'
import { toJson } from '../../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { eventsAbout } from '../../../../kernel/outbox/events.ts'
import { recordAll } from '../../../../kernel/outbox/record.ts'
import { domainOf, parseMailbox, wireAddress } from '../../../../mail/address.ts'
import { mailboxProviderOf } from '../../../../mail/mailbox-domains.ts'
import { classifyDiagnostic } from '../../../../mail/replies/diagnostic.ts'
import type { BounceReport, ComplaintReport, Report } from '../../../../mail/report.ts'
import { momentOf } from '../../../../platform/ids.ts'
import type { ComplaintOutcome } from '../../../../platform/observability/metrics.ts'
import { mailingTeamsAt } from '../../../limits/reads.ts'
import { TEAM_IDS } from '../../../teams/reads.ts'
import { type Email, emailEventData } from '../email.ts'
import { bounceDetails } from '../ledger/bounce-details.ts'
import { EMAIL_COLUMNS } from '../ledger/email-fields.ts'
import { latestRows, statusOf, updateLastEvents } from '../ledger/last-events.ts'
import { keptOf, type StoredClassification } from '../ledger/stored-classification.ts'
import { addSuppressions, type NewSuppression } from '../ledger/suppressions.ts'
import { maySuppress, type ReportedEmail } from './complaint-evidence.ts'

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
  readonly understood?: StoredClassification | undefined
  readonly suppression: NewSuppression['origin'] | null
}

/** What has become of a report. */
export interface AppliedReport {
  /** Whose history has changed. */
  readonly recipients: number
  /** Whether somebody was found who complained; null: it is no complaint. */
  readonly complaint: Exclude<ComplaintOutcome, 'too_large'> | null
  /** Where the mailbox is that complains, if that is known. */
  readonly provider: string | null
}

/**
 * Makes what a report says part of the email's history. That it is about a mail that we sent is known (`ReportedEmail` says how);
 * what it says about whom is still only somebody's word, and counts for recipients of this email alone.
 * Saying it twice changes nothing the second time, except that the second may prove more.
 */
export async function applyReport(trx: Transaction, about: ReportedEmail, report: Report): Promise<AppliedReport> {
  if (about.by === 'complaint-address' && report.kind !== 'complaint') return NOTHING
  const email = await findEmail(trx, about)
  const hasComplaint = report.kind === 'complaint' && isComplaint(report)
  if (!email) return { recipients: 0, complaint: hasComplaint ? 'no_email' : null, provider: null }
  const rows = recipientsMeant(await lockRows(trx, email), about)
  const reported =
    report.kind === 'bounce' ? bouncesOf(report, rows) : report.kind === 'complaint' ? complaintsOf(report, rows) : []
  const fresh = report.kind === 'complaint' ? await withoutKnown(trx, email, reported) : reported
  for (const one of fresh) await recordReported(trx, email, one)
  const suppressions = reported.flatMap(({ row: { recipient }, suppression: origin }) =>
    origin && maySuppress(about, recipient) ? [{ email: recipient, origin, sourceId: email.id }] : [],
  )
  if (suppressions.length > 0) await addSuppressions(trx, email.team, suppressions)
  const complaint = reported.length > 0 ? 'matched' : 'no_recipient'
  const [first] = reported
  const provider = first ? mailboxProviderOf(domainOf(first.row.recipient)) : null
  return { recipients: fresh.length, complaint: hasComplaint ? complaint : null, provider }
}

/** Only a complaint counts at the address for complaints. */
const NOTHING: AppliedReport = { recipients: 0, complaint: null, provider: null }

/** An address that names a recipient speaks of nobody else. */
const recipientsMeant = (rows: readonly Row[], about: ReportedEmail): readonly Row[] =>
  about.by !== 'message-id' && about.position !== null
    ? rows.filter(({ position }) => position === about.position)
    : rows

function bouncesOf(report: BounceReport, rows: readonly Row[]): ReportedEvent[] {
  const seen = new Set<Row>()
  const rowOf = byAddress(rows)
  // A forwarded mail bounces from an address that we do not know: it is of the only recipient there is.
  const only = rows.length === 1 ? rows[0] : undefined
  const all = report.recipients.map((one) => ({
    ...one,
    row: one.recipient === null ? undefined : rowOf(one.recipient),
  }))
  // Who is named as we know them comes before the addresses that their mail went on to.
  const inOrder = [...all.filter(({ row }) => row), ...all.filter(({ row }) => !row)]
  return inOrder.flatMap(({ row = only, action, status, diagnostic }) => {
    if (row?.state !== 'delivered' || action !== 'failed' || seen.has(row)) return []
    seen.add(row)
    const known = classifyDiagnostic(status, diagnostic)
    const { bounce } = known
    const message = diagnostic ?? status ?? 'The email was returned.'
    return [
      {
        row,
        type: 'email.bounced' as const,
        extra: { bounce: bounceDetails(message, bounce) },
        reply: message,
        understood: { ...keptOf(known), bounce },
        suppression: bounce.type === 'Permanent' ? ('bounce' as const) : null,
      },
    ]
  })
}

/** Reports of this form that are no complaint: somebody took one back, or a server tells what it thinks of a signature. */
const NO_COMPLAINT = new Set(['not-spam', 'auth-failure'])

export const isComplaint = ({ feedbackType }: ComplaintReport) => !NO_COMPLAINT.has(feedbackType.toLowerCase())

function complaintsOf(report: ComplaintReport, rows: readonly Row[]): ReportedEvent[] {
  if (!isComplaint(report)) return []
  const rowOf = byAddress(rows)
  const named = report.recipients.flatMap((recipient) => rowOf(recipient) ?? [])
  // Many reports leave out who complained. With one recipient, or one that the address names, there is nobody else.
  const complaining = named.length > 0 ? named : rows.length === 1 ? rows : []
  return [...new Set(complaining)].map((row) => ({
    row,
    type: 'email.complained' as const,
    extra: {},
    reply: `The recipient complained (${report.feedbackType}).`,
    suppression: 'complaint' as const,
  }))
}

/** Finds rows by their addresses, each of which is spelled once: a report names up to a thousand, and the rows are locked. */
function byAddress(rows: readonly Row[]): (recipient: string) => Row | undefined {
  const known = new Map(rows.toReversed().map((row) => [spelling(row.recipient), row]))
  return (recipient) => known.get(spelling(recipient))
}

function spelling(text: string): string {
  const address = parseMailbox(text)?.address
  return (address ? wireAddress(address) : text).toLowerCase()
}

async function recordReported(
  trx: Transaction,
  email: Email,
  { row, type, extra, reply, understood = {} }: ReportedEvent,
) {
  const now = trx.clock.of(email.team).now()
  const state = type === 'email.bounced' ? 'bounced' : row.state
  await trx.query(sql.write`
    update deliveries set state = ${state},
      replies = replies
        || (jsonb_build_object('at', iso_time(${now}::timestamptz), 'reply', ${reply}::text) || ${toJson(understood)}::jsonb)
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
  const complained = new Set(known.map(({ recipient }) => spelling(recipient)))
  return reported.filter(({ row }) => !complained.has(spelling(row.recipient)))
}

/**
 * A signed address names an email and no team. So those are asked that have sent mail when it was made, by key, and only if it is of none of them, as one
 * that was imported, all others.
 */
async function findEmail(trx: Transaction, about: ReportedEmail): Promise<Email | undefined> {
  if (about.by === 'message-id') return about.emailId === null ? findRelayed(trx, about) : findNamed(trx, about)
  const { emailId } = about
  const made = momentOf(emailId)
  // One that is not of our time is of a sandbox, or was not made here.
  const [likely] = made <= trx.clock.now() ? await trx.query<Email>(emailMadeAt(made, emailId)) : []
  return likely ?? findOfAnyTeam(trx, emailId)
}

/** Its id names the partition. There an array of teams is looked for along the index; a join goes down from its root for each of them. */
export const emailMadeAt = (made: Date, emailId: string): Sql => sql`
  select ${EMAIL_COLUMNS} from emails e
  where e.team_id = any (array(select t.id from ${mailingTeamsAt(made)} t)) and e.id = ${emailId}`

async function findOfAnyTeam(trx: Transaction, emailId: string): Promise<Email | undefined> {
  const [email] = await trx.query<Email>(sql`
    select ${EMAIL_COLUMNS} from ${TEAM_IDS} t join emails e on e.team_id = t.id and e.id = ${emailId}`)
  return email
}

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
