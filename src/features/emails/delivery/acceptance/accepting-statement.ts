import { referencedBlob } from '../../../../kernel/blobs/loose-blobs.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { claimKeys } from '../../../../kernel/idempotency/queries.ts'
import { packBodies } from '../../../../mail/packed-bodies.ts'
import { htmlBytesOf } from '../../../../mail/submitted/layout.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { tracing } from '../../../../platform/observability/tracing.ts'
import { insertSent, together, type Use } from '../../../limits/usage.ts'
import type { PendingApproval } from '../approvals/approval.ts'
import type { ErasedAddresses } from '../ledger/erased-addresses.ts'
import type { Suppressed } from '../ledger/queries.ts'
import { originOf } from '../ledger/suppressions.ts'
import type { NewEmail, Submission } from './accept.ts'
import { HELD_COLUMNS, insertAccepted, type RecordOptions, recordOf, recordsOf, TRACE_COLUMN } from './insert-emails.ts'
import type { HandOver } from './straight-through.ts'

export interface AcceptingParts {
  readonly uses: readonly Use[]
  readonly slot: number
  readonly handOver: HandOver | null
  readonly giveUpAfterSeconds: number
  readonly erased: ErasedAddresses | null
  /** See `Signals.announceWith`. */
  readonly notified?: Sql | null
  /** Set: all of these emails wait for approval. */
  readonly held?: ReadonlyMap<NewEmail, PendingApproval> | null
}

/** Parts that no submission needs are left out: most emails have no attachments and no idempotency key. */
export function acceptingStatement(
  submissions: readonly Submission[],
  { uses, slot, handOver, giveUpAfterSeconds, erased, notified = null, held = null }: AcceptingParts,
  db: Database,
): Sql {
  const isCompact = db.presence.storesCompactly
  const rows = submissions.flatMap(({ emails }, unit) =>
    emails.map((email) => {
      const options = { clock: db.clock, giveUpAfterSeconds, isBrief: isCompact, held: held?.get(email) }
      const row = rowOf(unit, email, options)
      if (handOver?.has(email)) {
        row.holder = handOver.node
        row.erased = erased && email.recipients.map((recipient) => erased.namesFor(recipient))
      }
      return row
    }),
  )
  if (isCompact) packRows(rows)
  const hasKeys = submissions.some(({ idempotency }) => idempotency)
  const hasAttachments = submissions.some(({ emails }) => emails.some(({ attachments }) => attachments.length > 0))
  const isTraced = tracing !== null && submissions.some(({ emails }) => emails.some(({ traceContext }) => traceContext))
  const submitted = submissions.flatMap(({ emails }) => emails.filter((email) => email.submitted))
  const columns = isTraced ? MORE_TRACED_COLUMNS : MORE_COLUMNS
  return sql`
    with ${hasKeys ? sql`${claimKeys(db, submissions)},` : sql``}
    accepted as materialized (
      select * from ${recordsOf(rows, held ? sql`${columns}${HELD_COLUMNS}` : columns)}
      ${hasKeys ? sql`where unit in (select unit from admitted)` : sql``}),
    new_usage as (${hasKeys ? insertSent(uses, slot, sql`select unit from admitted`) : insertSent(together(uses), slot)}),
    ${INSERT_BODIES}
    ${hasAttachments ? INSERT_ATTACHMENTS : sql``}
    ${submitted.length > 0 ? insertSubmitted(submitted) : sql``}
    ${insertAccepted(0, { giveUpAfterSeconds, isTraced, isHeld: held !== null })}
    select ${handOver ? sql`unit, null::uuid as team, null as recipient, null as origin` : sql`unit`}
    from (select distinct unit from accepted) units ${notified ? sql`where ${notified}` : sql``}
    ${handOver ? AND_SUPPRESSED : sql``}`
}

/** A unit that was accepted; with an origin, a suppressed recipient in it who would be written to straight away. */
export type WrittenRow = { readonly unit: number } & (Suppressed | { readonly origin?: null })

export const isSuppressed = (row: WrittenRow): row is WrittenRow & Suppressed => Boolean(row.origin)

const ERASED_NAMES = sql`array(select json_array_elements_text(erased -> (place - 1)::int))`

/** A probe of the index for each recipient, however many the planner expects of a JSON array. */
const AND_SUPPRESSED = sql`
    union all
    select * from (
      select unit, team, recipient, ${originOf(sql`team`, sql`recipient`, ERASED_NAMES)} as origin
      from accepted, json_array_elements_text(recipients) with ordinality as one (recipient, place)
      where holder is not null offset 0) handed_over
    where origin is not null`

export const INSERT_BODIES = sql.write`
    new_bodies as (
      insert into email_bodies (team_id, email_id, html, text, content)
      select team, id, html, text, decode(content, 'base64') from accepted),`
export const MORE_COLUMNS = sql`, unit int, html text, text text, content text, attachments json, erased json`
export const MORE_TRACED_COLUMNS = sql`${MORE_COLUMNS}${TRACE_COLUMN}`

export function rowOf(unit: number, email: NewEmail, { clock, ...options }: RecordOptions & { readonly clock: Clock }) {
  const row = recordOf(email, clock, options)
  row.unit = unit
  row.html = email.html
  row.text = email.text
  row.attachments = email.attachments
  return row
}

/** 5 ms, for which nothing else is done. What is beyond it in a statement stays as it is. */
const MAX_DEFLATED_LENGTH = 1024 * 1024

/** Bodies as one value, where that is shorter. Only where every process can read it: `Presence.storesCompactly`. */
export function packRows(rows: readonly Record<string, unknown>[]) {
  let length = 0
  for (const row of rows) {
    const { html, text } = row as { html: string | null; text: string | null }
    length += (html?.length ?? 0) + (text?.length ?? 0)
    if (length > MAX_DEFLATED_LENGTH) return
    const packed = packBodies({ html, text })
    if (!packed) continue
    row.content = packed.toString('base64')
    row.html = null
    row.text = null
  }
}

const INSERT_ATTACHMENTS = sql.write`
    new_attachments as (
      insert into email_attachments (team_id, id, email_id, filename, content_type, content_id, size, blob, created_at)
      select team, one.id, accepted.id, filename, "contentType", "contentId", size, ${referencedBlob(sql`blob`)}, accepted."createdAt"
      from accepted, json_to_recordset(attachments) as one (
        id uuid, filename text, "contentType" text, "contentId" text, size bigint, blob text)),`

/** The bytes travel as one binary value, cut up over there. */
export function insertSubmitted(emails: readonly NewEmail[]): Sql {
  const pieces: Buffer[] = []
  let length = 0
  const rows = emails.map(({ id, submitted }) => {
    const { raw, blob, layout } = submitted!
    const row = { id, blob, layout, size: raw.length, htmlBytes: htmlBytesOf(layout), from: length + 1 }
    if (blob === null) {
      pieces.push(raw)
      length += raw.length
    }
    return row
  })
  return sql.write`
    new_submitted as (
      insert into submitted_messages (team_id, email_id, size, raw, blob, layout, html_bytes)
      select team, accepted.id, one.size,
        case when one.blob is null then substring(${Buffer.concat(pieces)}::bytea from one.from for one.size::int) end,
        case when one.blob is not null then ${referencedBlob(sql`one.blob`)} end, one.layout, one."htmlBytes"
      from accepted join json_to_recordset(${JSON.stringify(rows)}::json) as one (
        id uuid, blob text, layout jsonb, size bigint, "htmlBytes" bigint, "from" int) on one.id = accepted.id),`
}
