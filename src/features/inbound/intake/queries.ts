import { referencedBlob } from '../../../kernel/blobs/loose-blobs.ts'
import type { Database, Queryable, Transaction } from '../../../kernel/db/database.ts'
import { toJson } from '../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { insertFreshJobs, insertJobs, unfinishedSince } from '../../../kernel/jobs/queries.ts'
import type { Expired } from '../../../kernel/jobs/retention.ts'
import type { JobHandOver } from '../../../kernel/jobs/straight-through.ts'
import { insertNewEvents, type NewEvent, withActiveTrace } from '../../../kernel/outbox/record.ts'
import { parseMailbox } from '../../../mail/address.ts'
import type { ReportedTo, ReturnedTo } from '../../../mail/return-path.ts'
import { newId } from '../../../platform/ids.ts'
import { tracing } from '../../../platform/observability/tracing.ts'
import { teamOfEmail } from '../../emails/reads.ts'
import { insertReceived, type Use } from '../../limits/usage.ts'
import type { NewDomainReport, NewReceived, NewReport } from './arrival.ts'
import { insertKnownSender, type KnownSender } from './known-senders.ts'

/** The names of the jobs that read what was taken in: their rows are written here, together with what they are about. */
export const READ_RECEIVED = 'received-emails.read'
export const READ_REPORT = 'received-emails.read-report'
export const READ_DOMAIN_REPORT = 'received-emails.read-domain-report'

/** Messages, reports and the jobs that read them, in one statement. The bytes travel as one binary value, cut up over there. */
export async function insertArrivals(
  db: Queryable,
  {
    received,
    reports,
    domainReports,
  }: {
    readonly received: readonly NewReceived[]
    readonly reports: readonly NewReport[]
    readonly domainReports: readonly NewDomainReport[]
  },
  {
    uses,
    slot,
    now = db.clock.now(),
    handOver = null,
  }: {
    readonly uses: readonly Use[]
    readonly slot: number
    readonly now?: Date
    /** The jobs that begin here as soon as they are written. */
    readonly handOver?: JobHandOver | null
  },
) {
  const { clock } = db
  const pieces: Buffer[] = []
  let length = 0
  const append = (raw: Buffer) => {
    const from = length + 1
    pieces.push(raw)
    length += raw.length
    return { rawFrom: from, rawLength: raw.length }
  }
  const receivedRows = received.map((one) => ({
    ...receivedRow(one),
    jobId: one.jobId,
    ...(handOver?.has(one.jobId) && { holder: handOver.node }),
    ...(one.rawBlob === null && append(one.raw)),
    ...(one.trace && { trace: `\\x${one.trace}` }),
  }))
  const isTraced = tracing !== null && received.some(({ trace }) => trace)
  const reportRows = reports.map(({ id, by, emailId, position, raw }) => ({
    id,
    by,
    emailId,
    position,
    jobId: newId(clock),
    ...append(raw),
  }))
  const domainReportRows = domainReports.map(({ id, team, domainId, about, from, clientAddress, helo, raw }) => ({
    ...{ id, team, domainId, about, from, clientAddress, helo },
    jobId: newId(clock),
    ...append(raw),
  }))
  const bytes = Buffer.concat(pieces)
  await db.query(sql.write`
    with bytes as materialized (select ${bytes}::bytea as all_of_them),
    given as materialized (
      select * from json_to_recordset(${toJson(receivedRows)}::json) as given (
        team uuid, id uuid, "jobId" uuid, "from" text, "to" jsonb, cc jsonb, bcc jsonb, "replyTo" jsonb, "receivedFor" jsonb,
        subject text, "messageId" text, "envelopeFrom" text, "clientAddress" text, helo text, size bigint, "rawBlob" text,
        "createdAt" timestamptz, "rawFrom" int, "rawLength" int, holder int${isTraced ? sql`, trace bytea` : sql``})),
    new_emails as (
      insert into received_emails (team_id, id, "from", "to", cc, bcc, reply_to, received_for, subject, message_id, envelope_from,
        client_address, helo, size, raw_blob, created_at)
      select team, id, "from", "to", cc, bcc, "replyTo", "receivedFor", subject, "messageId", "envelopeFrom", "clientAddress", helo,
        size, case when "rawBlob" is not null then ${referencedBlob(sql`"rawBlob"`)} end, "createdAt"
      from given),
    new_raws as (
      insert into received_raws (team_id, received_id, raw)
      select team, id, substring(all_of_them from "rawFrom" for "rawLength") from given, bytes where "rawBlob" is null),
    ${uses.length > 0 ? sql`new_usage as (${insertReceived(uses, slot)}),` : sql``}
    ${reports.length > 0 ? insertReports(reportRows, now) : sql``}
    ${domainReports.length > 0 ? insertDomainReports(domainReportRows, now) : sql``}
    new_jobs as (${insertFreshJobs(
      READ_RECEIVED,
      sql`select "jobId", jsonb_build_object('team', team, 'id', id), holder${isTraced ? sql`, trace` : sql``} from given`,
      { now, isTraced },
    )})
    select`)
}

const receivedRow = ({
  team,
  id,
  fields,
  receivedFor,
  from,
  clientAddress,
  helo,
  raw,
  rawBlob,
  createdAt,
}: NewReceived) => ({
  team,
  id,
  from: fields.from,
  to: fields.to,
  cc: fields.cc,
  bcc: fields.bcc,
  replyTo: fields.replyTo,
  receivedFor,
  subject: fields.subject,
  messageId: fields.messageId,
  envelopeFrom: from,
  clientAddress,
  helo,
  size: raw.length,
  rawBlob,
  createdAt,
})

const insertReports = (rows: readonly object[], now: Date): Sql => sql.write`
    given_reports as materialized (
      select * from json_to_recordset(${toJson(rows)}::json) as given (
        id uuid, by text, "emailId" uuid, position int, "jobId" uuid, "rawFrom" int, "rawLength" int)),
    new_reports as (
      insert into delivery_reports (id, email_id, position, raw, created_at)
      select id, "emailId", position, substring(all_of_them from "rawFrom" for "rawLength"), ${now} from given_reports, bytes),
    new_report_jobs as (${insertJobs(
      READ_REPORT,
      sql`select "jobId", jsonb_build_object('id', id, 'team', ${teamOfEmail(sql`"emailId"`)}, 'by', by), ${now}::timestamptz, null
        from given_reports`,
      { now },
    )}),`

const insertDomainReports = (rows: readonly object[], now: Date): Sql => sql.write`
    given_domain_reports as materialized (
      select * from json_to_recordset(${toJson(rows)}::json) as given (
        id uuid, team uuid, "domainId" uuid, about text, "from" text, "clientAddress" text, helo text, "jobId" uuid,
        "rawFrom" int, "rawLength" int)),
    new_domain_reports as (
      insert into domain_report_mails (id, domain_id, kind, envelope_from, client_address, helo, raw, created_at)
      select id, "domainId", about, "from", "clientAddress", helo, substring(all_of_them from "rawFrom" for "rawLength"), ${now}
      from given_domain_reports, bytes),
    new_domain_report_jobs as (${insertJobs(
      READ_DOMAIN_REPORT,
      sql`select "jobId", jsonb_build_object('id', id, 'team', team), ${now}::timestamptz, null from given_domain_reports`,
      { now },
    )}),`

/** A message with what is needed to read it. */
export interface StoredReceived {
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly receivedFor: readonly string[]
  readonly subject: string | null
  readonly messageId: string | null
  readonly envelopeFrom: string
  readonly clientAddress: string
  readonly helo: string
  readonly createdAt: Date
  readonly isRead: boolean
  readonly size: number
  readonly rawBlob: string | null
  readonly raw: Buffer | null
}

/** What the job that reads a message runs with. `received` is only in memory: the message was taken in by this process. */
export interface ReadPayload {
  readonly team: string
  readonly id: string
  readonly received?: StoredReceived
}

const RECEIVED_COLUMNS = sql`
  e.from, e.to, e.cc, e.bcc, e.received_for as "receivedFor", e.subject, e.message_id as "messageId",
  e.envelope_from as "envelopeFrom", e.client_address as "clientAddress", e.helo, e.created_at as "createdAt",
  e.read_at is not null as "isRead", e.size::float8 as size, e.raw_blob as "rawBlob"`

export async function findReceived(db: Database, team: string, id: string): Promise<StoredReceived | undefined> {
  const [row] = await db.queryPooled<StoredReceived>(sql`
    select ${RECEIVED_COLUMNS}, r.raw
    from received_emails e left join received_raws r on r.team_id = e.team_id and r.received_id = e.id
    where e.team_id = ${team} and e.id = ${id}`)
  return row
}

/** As `findReceived` would find a message that was just written. */
export const justReceived = ({ fields, ...arrived }: NewReceived): StoredReceived => ({
  from: fields.from,
  to: fields.to,
  cc: fields.cc,
  bcc: fields.bcc,
  receivedFor: arrived.receivedFor,
  subject: fields.subject,
  messageId: fields.messageId,
  envelopeFrom: arrived.from,
  clientAddress: arrived.clientAddress,
  helo: arrived.helo,
  createdAt: arrived.createdAt,
  isRead: false,
  size: arrived.raw.length,
  rawBlob: arrived.rawBlob,
  raw: arrived.raw,
})

/** Whether mail that was there at a moment is still to be read: nobody knows yet what is in it. A team, or null for all. */
export async function isMailUnread(
  db: Queryable,
  { team, since }: { readonly team: string | null; readonly since: Date },
): Promise<boolean> {
  const unread = await db.query(sql`
    with waiting as materialized (
      select (j.payload ->> 'team')::uuid as team_id, (j.payload ->> 'id')::uuid as id from ${unfinishedSince(READ_RECEIVED, since)})
    select from waiting w join received_emails e on e.team_id = w.team_id and e.id = w.id
    where e.read_at is null and (${team}::uuid is null or w.team_id = ${team}::uuid) limit 1`)
  return unread.length > 0
}

/** The message without its content. */
export async function findReceivedHead(
  db: Queryable,
  team: string,
  id: string,
): Promise<Omit<StoredReceived, 'raw'> | undefined> {
  const [row] = await db.query<Omit<StoredReceived, 'raw'>>(sql`
    select ${RECEIVED_COLUMNS} from received_emails e where e.team_id = ${team} and e.id = ${id}`)
  return row
}

export interface NewReceivedAttachment {
  readonly id: string
  readonly filename: string | null
  readonly contentType: string
  readonly contentId: string | null
  readonly disposition: 'inline' | 'attachment' | null
  readonly size: number
  readonly blob: string
}

/** What reading a message has found. */
export interface Reading {
  /** JSON. Bytes, like the bodies: megabytes of them go to the database as they are. */
  readonly headers: Uint8Array
  readonly html: Uint8Array | null
  readonly text: Uint8Array | null
  readonly faults: readonly string[]
  readonly attachments: readonly NewReceivedAttachment[]
  readonly event: NewEvent
}

const utf8 = (bytes: Uint8Array | null) =>
  sql`convert_from(${bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)}::bytea, 'UTF8')`

/** Body, attachments and event of a message, in one statement, by whoever comes first: who comes second changes nothing. */
export const writeReading = (
  db: Queryable,
  { team, id }: { readonly team: string; readonly id: string },
  { now, ...reading }: Reading & { readonly now: Date },
) =>
  db.query(sql.write`
    with mine as (
      update received_emails set read_at = ${now} where team_id = ${team} and id = ${id} and read_at is null
      returning team_id, id),
    body as (
      insert into received_bodies (team_id, received_id, headers, html, text, faults)
      select team_id, id, ${utf8(reading.headers)}::jsonb, ${utf8(reading.html)}, ${utf8(reading.text)},
        ${toJson(reading.faults)}::jsonb
      from mine),
    attachments as (
      insert into received_attachments (team_id, received_id, id, filename, content_type, content_id, content_disposition, size, blob, created_at)
      select team_id, mine.id, one.id, filename, "contentType", "contentId", disposition, size, blob, ${now}
      from mine, json_to_recordset(${toJson(reading.attachments)}::json) as one (
        id uuid, filename text, "contentType" text, "contentId" text, disposition text, size bigint, blob text))
    ${insertNewEvents(db.clock, withActiveTrace([reading.event]), sql`, mine`)}`)

/**
 * Writes the results unless there is one that leaves less open: name servers that have answered once need not do so again. True while the
 * message is there: of one that was deleted meanwhile nothing is noted, not even who wrote it.
 */
export async function improveAuthentication(
  db: Queryable,
  { team, id }: { readonly team: string; readonly id: string },
  {
    authentication,
    temporary,
    sender,
  }: { readonly authentication: object; readonly temporary: number; readonly sender: KnownSender | null },
): Promise<boolean> {
  const rows = await db.query(sql.write`
    with message as (
      update received_emails set authentication = case
        when authentication is null
          or jsonb_array_length(jsonb_path_query_array(authentication, ${TEMPORARY}::jsonpath)) >= ${temporary}
        then ${toJson(authentication)}::jsonb else authentication end
      where team_id = ${team} and id = ${id} returning team_id, id)
    ${sender ? sql`, known as (${insertKnownSender(db, team, { ...sender, of: sql`message` })})` : sql``}
    select id from message`)
  return rows.length > 0
}

/** Writes the results where there is none. */
export const noteAuthentication = (db: Queryable, team: string, id: string, authentication: object) =>
  db.query(sql.write`
    update received_emails set authentication = ${toJson(authentication)}::jsonb
    where team_id = ${team} and id = ${id} and authentication is null`)

/** The address that a message is from, when DMARC has proven it. */
export async function findProvenSender(db: Database, team: string, id: string): Promise<string | null> {
  const [row] = await db.query<{ from: string }>(sql`
    select "from" from received_emails
    where team_id = ${team} and id = ${id} and authentication #>> '{dmarc,result}' = 'pass'`)
  return row ? (parseMailbox(row.from)?.address ?? null) : null
}

const TEMPORARY = 'strict $.**.result ? (@ == "temperror")'

/** What the job that reads a report runs with. */
export interface ReadReportPayload {
  readonly id: string
  readonly team?: string
  /** Left out by programs that knew of return paths alone. */
  readonly by?: ReportedTo['by']
}

export async function findReport(db: Database, id: string): Promise<(ReturnedTo & { raw: Buffer }) | undefined> {
  const [row] = await db.queryPooled<ReturnedTo & { raw: Buffer }>(sql`
    select email_id as "emailId", position, raw from delivery_reports where id = ${id}`)
  return row
}

/** Deletes some of the mails that brought reports and were never read, and returns whether there may be more. */
export async function deleteReportMailsBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const [row] = await db.query<{ isMore: boolean }>(sql.write`
    with reports as (
      delete from delivery_reports where id in (
        select id from delivery_reports where created_at < ${moment} limit ${limit}) returning id),
    about_domains as (
      delete from domain_report_mails where id in (
        select id from domain_report_mails where created_at < ${moment} limit ${limit}) returning id)
    select greatest((select count(*) from reports), (select count(*) from about_domains)) = ${limit} as "isMore"`)
  return row!.isMore
}

/** True for the one that takes it: what a report says is only done once. */
export async function takeReport(trx: Transaction, id: string): Promise<boolean> {
  const rows = await trx.query(sql.write`delete from delivery_reports where id = ${id} returning id`)
  return rows.length > 0
}
