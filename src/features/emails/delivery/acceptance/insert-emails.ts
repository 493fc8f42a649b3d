import { raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import { insertEvents, insertTracedEvents } from '../../../../kernel/outbox/record.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { isSandbox, newId } from '../../../../platform/ids.ts'
import { type Email, emailEventData } from '../email.ts'
import { COLUMNS, type EmailRow, FIELD_NAMES, RECORD_COLUMNS, RECORD_NAMES } from '../ledger/email-fields.ts'
import { giveUpAfter } from '../outcomes/retry.ts'

/** Bare addresses of to, cc and bcc, each once: the rows of the ledger. */
type Recipients = { readonly recipients: readonly string[] }

/**
 * An email as a row of the JSON text that emails travel in. Assigned field by field: with its text a row takes 20 µs, and as it did
 * when the fields were written out here; made by `Object.fromEntries` it takes 60.
 */
export function recordOf(
  email: EmailRow & Pick<Email, 'traceContext'> & Recipients,
  clock: Clock,
  giveUpAfterSeconds: number,
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
  row.event = emailEventData(email, email.to)
  if (email.traceContext) row.traceContext = `\\x${email.traceContext}`
  return row
}

/** All emails as one JSON text, which is cheaper on both sides than an array for each column. `more` are columns of the caller's. */
export const recordsOf = (rows: readonly object[], more: Sql = sql``): Sql => recordsOfJson(JSON.stringify(rows), more)

/** The same of a text that is there already. */
export const recordsOfJson = (json: string, more: Sql = sql``): Sql => sql`
  json_to_recordset(${json}::json) as given (
    ${RECORD_COLUMNS}, recipients json, "dueAt" timestamptz, "giveUpAt" timestamptz, "eventId" uuid, "eventAt" timestamptz, event json, holder int${more})`

/** A column of these records that only those of traced emails have. */
export const TRACE_COLUMN = sql`, "traceContext" bytea`

interface Accepting {
  readonly giveUpAfterSeconds: number
  /** With `TRACE_COLUMN`. */
  readonly isTraced?: boolean
}

/** Writes what is in a table `accepted` of such records: emails, rows of the ledger (claimed, if the record names a holder) and events. */
export function insertAccepted(priority: 0 | 1, accepting: Accepting): Sql {
  const key = `${priority} ${accepting.giveUpAfterSeconds} ${accepting.isTraced}`
  const known = statements.get(key) ?? insertStatement(priority, accepting)
  statements.set(key, known)
  return known
}

/** A process has two, one for each priority, and two more of those that are traced: they are not put together anew for each batch. */
const statements = new Map<string, Sql>()

const insertStatement = (priority: 0 | 1, { giveUpAfterSeconds, isTraced = false }: Accepting): Sql => sql.write`
  new_emails as (
    insert into emails (${COLUMNS}, last_event${isTraced ? sql`, trace_context` : sql``})
    select ${RECORD_NAMES}, case when "scheduledAt" is null then 'sent' else 'scheduled' end
      ${isTraced ? sql`, "traceContext"` : sql``} from accepted),
  new_deliveries as (
    insert into deliveries (team_id, email_id, position, recipient, priority, due_at, give_up_at, holder, claims)
    select team, id, position - 1, recipient, ${raw(String(priority))}, "dueAt",
      coalesce("giveUpAt", "dueAt" + make_interval(secs => ${giveUpAfterSeconds})),
      holder, case when holder is null then 0 else 1 end
    from accepted, json_array_elements_text(recipients) with ordinality as one (recipient, position)),
  new_events as (${(isTraced ? insertTracedEvents : insertEvents)(sql`
    select team, "eventId", case when "scheduledAt" is null then 'email.sent' else 'email.scheduled' end, event, id, "eventAt"
      ${isTraced ? sql`, "traceContext"` : sql``}
    from accepted`)})`
