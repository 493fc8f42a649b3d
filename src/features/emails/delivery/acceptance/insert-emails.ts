import { raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import { insertEvents, insertTracedEvents } from '../../../../kernel/outbox/record.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { isSandbox, newId } from '../../../../platform/ids.ts'
import { approvalEventData, type PendingApproval } from '../approvals/approval.ts'
import { briefEventData, type Email, emailEventData } from '../email.ts'
import { APPROVAL_HOLD } from '../ledger/approval-hold.ts'
import { COLUMNS, type EmailRow, FIELD_NAMES, RECORD_COLUMNS, RECORD_NAMES } from '../ledger/email-fields.ts'
import { giveUpAfter } from '../outcomes/retry.ts'

/** Bare addresses of to, cc and bcc, each once: the rows of the ledger. */
type Recipients = { readonly recipients: readonly string[] }

export interface RecordOptions {
  readonly giveUpAfterSeconds: number
  /** Every process reads events that do not repeat their email. */
  readonly isBrief?: boolean
  /** Set: it waits for approval, and that is all that is told of it for now. */
  readonly held?: PendingApproval | undefined
}

/**
 * An email as a row of the JSON text that emails travel in. Assigned field by field: with its text a row takes 20 µs, and as it did
 * when the fields were written out here; made by `Object.fromEntries` it takes 60.
 */
export function recordOf(
  email: EmailRow & Pick<Email, 'traceContext'> & Recipients,
  clock: Clock,
  { giveUpAfterSeconds, isBrief = false, held }: RecordOptions,
): Record<string, unknown> {
  const own = clock.of(email.team)
  const row: Record<string, unknown> = {}
  for (const name of FIELD_NAMES) row[name] = email[name]
  row.recipients = email.recipients
  // The ledger is in real time, whatever the time of the team.
  const due = email.scheduledAt ?? email.createdAt
  row.dueAt = own.toReal(due)
  // The end of its time is in the future, and that of a sandbox may be written down otherwise than what is due now.
  if (isSandbox(email.team)) row.giveUpAt = own.toReal(giveUpAfter(due, giveUpAfterSeconds))
  const eventAt = own.now()
  row.eventAt = eventAt
  row.eventId = newId(own, eventAt)
  row.event = held ? requestedOf(email, held) : (isBrief ? briefEventData : emailEventData)(email, email.to)
  if (held) {
    row.policyId = held.policyId
    row.policyHolder = held.holder
    row.expiresAt = held.expiresAt
    row.heldAt = clock.now()
  }
  if (email.traceContext) row.traceContext = `\\x${email.traceContext}`
  return row
}

const requestedOf = (email: EmailRow, held: PendingApproval) =>
  approvalEventData(email, {
    ...held,
    status: 'waiting',
    scheduledAt: email.scheduledAt ?? null,
    decidedAt: null,
    decidedBy: null,
  })

/** All emails as one JSON text, which is cheaper on both sides than an array for each column. `more` are columns of the caller's. */
export const recordsOf = (rows: readonly object[], more: Sql = sql``): Sql => recordsOfJson(JSON.stringify(rows), more)

/** The same of a text that is there already. */
export const recordsOfJson = (json: string, more: Sql = sql``): Sql => sql`
  json_to_recordset(${json}::json) as given (
    ${RECORD_COLUMNS}, recipients json, "dueAt" timestamptz, "giveUpAt" timestamptz, "eventId" uuid, "eventAt" timestamptz, event json, holder int${more})`

/** A column of these records that only those of traced emails have. */
export const TRACE_COLUMN = sql`, "traceContext" bytea`

/** Columns that only those have that wait for approval. `holder` is the node of one that does not. */
export const HELD_COLUMNS = sql`, "policyId" uuid, "policyHolder" text, "heldAt" timestamptz, "expiresAt" timestamptz`

interface Accepting {
  readonly giveUpAfterSeconds: number
  /** With `HELD_COLUMNS`. */
  readonly isHeld?: boolean
  /** With `TRACE_COLUMN`. */
  readonly isTraced?: boolean
}

/** Writes what is in a table `accepted` of such records: emails, rows of the ledger (claimed, if the record names a holder) and events. */
export function insertAccepted(priority: 0 | 1, accepting: Accepting): Sql {
  const key = `${priority} ${accepting.giveUpAfterSeconds} ${accepting.isTraced} ${accepting.isHeld}`
  const known = statements.get(key) ?? insertStatement(priority, accepting)
  statements.set(key, known)
  return known
}

/** A process has two, one for each priority, and a few more of those that are traced or held: they are not put together anew for each batch. */
const statements = new Map<string, Sql>()

const insertStatement = (
  priority: 0 | 1,
  { giveUpAfterSeconds, isTraced = false, isHeld = false }: Accepting,
): Sql => sql.write`
  new_emails as (
    insert into emails (${COLUMNS}, last_event${isTraced ? sql`, trace_context` : sql``})
    select ${RECORD_NAMES}, ${isHeld ? sql`'queued'` : sql`case when "scheduledAt" is null then 'sent' else 'scheduled' end`}
      ${isTraced ? sql`, "traceContext"` : sql``} from accepted),
  ${isHeld ? INSERT_APPROVALS : sql``}
  new_deliveries as (
    insert into deliveries (team_id, email_id, position, recipient, priority, due_at, give_up_at, holder, claims${isHeld ? sql`, suspended_at, hold_id` : sql``})
    select team, id, position - 1, recipient, ${raw(String(priority))}, "dueAt",
      coalesce("giveUpAt", "dueAt" + make_interval(secs => ${giveUpAfterSeconds})),
      holder, case when holder is null then 0 else 1 end${isHeld ? sql`, "heldAt", ${APPROVAL_HOLD}` : sql``}
    from accepted, json_array_elements_text(recipients) with ordinality as one (recipient, position)),
  new_events as (${(isTraced ? insertTracedEvents : insertEvents)(sql`
    select team, "eventId", ${isHeld ? sql`'approval.requested'` : sql`case when "scheduledAt" is null then 'email.sent' else 'email.scheduled' end`}, event, id, "eventAt"
      ${isTraced ? sql`, "traceContext"` : sql``}
    from accepted`)})`

const INSERT_APPROVALS = sql.write`
  new_approvals as (
    insert into approvals (team_id, email_id, policy_id, holder, status, expires_at)
    select team, id, "policyId", "policyHolder", 'waiting', "expiresAt" from accepted),`
