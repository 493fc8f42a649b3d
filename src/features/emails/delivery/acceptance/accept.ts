import { referencedBlob } from '../../../../kernel/blobs/loose-blobs.ts'
import type { Database, Transaction } from '../../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { type AnsweredRequest, claimKeys } from '../../../../kernel/idempotency/queries.ts'
import { OUTBOX_CHANNEL } from '../../../../kernel/outbox/record.ts'
import { htmlBytesOf, type Layout } from '../../../../mail/submitted/layout.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { Batcher } from '../../../../platform/concurrency/batcher.ts'
import { lockBalances, OverQuota } from '../../../limits/quota.ts'
import type { TeamStates } from '../../../limits/team-states.ts'
import { dayOf, insertSent, together, UsageSlot, UsageSlots, type Use } from '../../../limits/usage.ts'
import type { Email } from '../email.ts'
import type { WrittenFields } from '../ledger/email-fields.ts'
import { DELIVERIES_CHANNEL, type Suppressed } from '../ledger/queries.ts'
import { originOf } from '../ledger/suppressions.ts'
import { insertAccepted, recordOf, recordsOf } from './insert-emails.ts'
import type { HandOver, StraightThrough } from './straight-through.ts'

export interface StoredAttachment {
  readonly id: string
  readonly filename: string | null
  readonly contentType: string
  readonly contentId: string | null
  readonly size: number
  readonly blob: string
}

/** A message that a client submitted, and that leaves as it came. */
export interface SubmittedMessage {
  readonly raw: Buffer
  /** Where it is in the blob store; null: it is small, and written with its email. */
  readonly blob: string | null
  readonly layout: Layout
}

/** An email that is ready to be promised. */
export interface NewEmail extends Email, WrittenFields {
  readonly submitted?: SubmittedMessage
  readonly html: string | null
  readonly text: string | null
  /** Bare addresses: to, cc and bcc, each once. */
  readonly recipients: readonly string[]
  readonly attachments: readonly StoredAttachment[]
}

/** What one request submits: all of it is accepted or none. */
export interface Submission {
  readonly emails: readonly NewEmail[]
  readonly idempotency: AnsweredRequest | null
}

// 100 emails of 5 kB are half a megabyte a statement, which exists several times: as objects, as JSON, on its way, in PostgreSQL.
// What is larger counts as several.
const LIMITS = { maxItems: 100, maxWrites: 3, maxWaiting: 5_000, weigh }
const EMAIL_CHARACTERS = 5_000
const HEADER_CHARACTERS = 100

/** About: counting what every character takes would cost more than it tells. */
function weigh({ emails }: Submission): { tenant: string; weight: number } {
  let weight = 0
  for (const { html, text, headers, submitted } of emails) {
    const characters =
      (html?.length ?? 0) + (text?.length ?? 0) + (headers?.length ?? 0) * HEADER_CHARACTERS + rowBytes(submitted)
    weight += Math.max(1, characters / EMAIL_CHARACTERS)
  }
  return { tenant: emails[0]?.team ?? '', weight }
}

const rowBytes = (submitted: SubmittedMessage | undefined) => (submitted?.blob === null ? submitted.raw.length : 0)

/**
 * Accepts emails: email, ledger rows, idempotency record and event in one statement, and the promise resolves when the commit is
 * durable. Submissions that arrive while a write is under way share the next commit.
 */
export class Acceptance {
  readonly #db: Database
  readonly #states: TeamStates
  readonly #slots: UsageSlots
  /** Of transactions of others. Nobody here knows when they end, so they share one, and those of a team take turns. */
  readonly #ownSlot = new UsageSlot()
  #straightThrough: StraightThrough | null = null
  readonly #batcher: Batcher<Submission, boolean>
  /** Of teams that may send only so much: they take turns with whoever else counts against the same limit. */
  readonly #limited: Batcher<Submission, boolean | OverQuota>

  constructor(db: Database, states: TeamStates) {
    this.#db = db
    this.#states = states
    this.#slots = new UsageSlots(db.clock)
    this.#batcher = new Batcher((submissions) => this.#write(submissions), LIMITS)
    this.#limited = new Batcher((submissions) => this.#writeWithinQuota(submissions), LIMITS)
  }

  /** From here on, emails that are due now go on in this process as soon as they are accepted, as far as the delivery has room. */
  deliverThrough(straightThrough: StraightThrough) {
    this.#straightThrough = straightThrough
  }

  /** False: the idempotency key is taken, and nothing was written. Throws `OverQuota`. */
  async accept(submission: Submission): Promise<boolean> {
    const { emailsPerDay, emailsPerMonth } = this.#states.limitsOf(teamOf(submission))
    if (emailsPerDay === null && emailsPerMonth === null) return this.#batcher.add(submission)
    const accepted = await this.#limited.add(submission)
    if (accepted instanceof OverQuota) throw accepted
    return accepted
  }

  /**
   * The same inside of a transaction of the caller's, who may change more in it. When this gives false or throws, the caller rolls back.
   */
  async acceptWithin(trx: Transaction, submission: Submission): Promise<boolean> {
    const [accepted] = await this.#writeFitting(trx, [submission], this.#ownSlot.at(this.#db.clock.now()))
    if (accepted instanceof OverQuota) throw accepted
    return accepted!
  }

  async #write(submissions: readonly Submission[]): Promise<boolean[]> {
    const uses = submissions.map((one, unit) => useOf(one, unit))
    const handOver = this.#straightThrough?.reserve(submissions.flatMap(({ emails }) => emails)) ?? null
    const write = (slot: number) =>
      this.#db.queryPooled<WrittenRow>(statement(submissions, uses, slot, this.#db, handOver))
    const rows = await this.#slots.use(write).catch((error) => {
      handOver?.failed(error)
      throw error
    })
    const admitted = new Set(rows.map(({ unit }) => unit))
    handOver?.committed({
      emails: submissions.flatMap(({ emails }, unit) => (admitted.has(unit) ? emails : [])),
      suppressed: rows.filter(isSuppressed),
    })
    if (!handOver?.isForAll) this.#db.signals.announce(DELIVERIES_CHANNEL)
    this.#db.signals.announce(OUTBOX_CHANNEL)
    return submissions.map((_submission, unit) => admitted.has(unit))
  }

  /** What does not fit is left out, and what comes behind it may fit. */
  #writeWithinQuota(submissions: readonly Submission[]): Promise<(boolean | OverQuota)[]> {
    return this.#slots.use((slot) => this.#db.transaction((trx) => this.#writeFitting(trx, submissions, slot)))
  }

  async #writeFitting(trx: Transaction, submissions: readonly Submission[], slot: number) {
    // One day for all of a team, also at midnight: the balance of another day would not know what is taken from this one.
    const days = new Map<string, string>()
    for (const { team, day } of submissions.map((one) => useOf(one)))
      if (day > (days.get(team) ?? '')) days.set(team, day)
    const balances = await lockBalances(trx, days)
    const verdicts = submissions.map((one) => balances.get(teamOf(one))!.take(recipientsOf(one)))
    const fitting = submissions.filter((_one, index) => verdicts[index] === null)
    const uses = fitting.map((one, unit) => ({ ...useOf(one, unit), day: days.get(teamOf(one))! }))
    const rows = fitting.length > 0 ? await trx.query<{ unit: number }>(statement(fitting, uses, slot, this.#db)) : []
    trx.announce(DELIVERIES_CHANNEL)
    trx.announce(OUTBOX_CHANNEL)
    const admitted = new Set(rows.map(({ unit }) => fitting[unit]!))
    return submissions.map((one, index) => verdicts[index] ?? admitted.has(one))
  }
}

const teamOf = ({ emails }: Submission) => emails[0]!.team

export const recipientsOf = ({ emails }: Pick<Submission, 'emails'>) =>
  emails.reduce((sum, { recipients }) => sum + recipients.length, 0)

/** It counts on the day on which it was accepted, also when it is to leave on another. */
const useOf = (submission: Submission, unit = 0): Use => ({
  team: teamOf(submission),
  day: dayOf(submission.emails[0]!.createdAt),
  count: recipientsOf(submission),
  unit,
})

/** Of a team one batch is written at a time, so that all of them share it. */
const slotOfAutomations = new UsageSlot()

/** Accepts emails without attachments inside of a transaction: they are promised when it commits. */
export async function acceptEmails(trx: Transaction, emails: readonly NewEmail[]) {
  const rows = emails.map((email) => rowOf(0, email, trx.clock))
  const uses = together(emails.map((email) => useOf({ emails: [email], idempotency: null })))
  await trx.query(sql`
    with accepted as materialized (select * from ${recordsOf(rows, MORE_COLUMNS)}),
    new_usage as (${insertSent(uses, slotOfAutomations.at(trx.clock.now()))}),
    ${INSERT_BODIES}
    ${INSERT_ACCEPTED}
    select`)
  trx.announce(DELIVERIES_CHANNEL)
  trx.announce(OUTBOX_CHANNEL)
}

/** Parts that no submission needs are left out: most emails have no attachments and no idempotency key. */
function statement(
  submissions: readonly Submission[],
  uses: readonly Use[],
  slot: number,
  db: Database,
  handOver: HandOver | null = null,
): Sql {
  const rows = submissions.flatMap(({ emails }, unit) =>
    emails.map((email) => {
      const row = rowOf(unit, email, db.clock)
      if (handOver?.has(email)) row.holder = handOver.node
      return row
    }),
  )
  const hasKeys = submissions.some(({ idempotency }) => idempotency)
  const hasAttachments = submissions.some(({ emails }) => emails.some(({ attachments }) => attachments.length > 0))
  const submitted = submissions.flatMap(({ emails }) => emails.filter((email) => email.submitted))
  return sql`
    with ${hasKeys ? sql`${claimKeys(db, submissions)},` : sql``}
    accepted as materialized (
      select * from ${recordsOf(rows, MORE_COLUMNS)}
      ${hasKeys ? sql`where unit in (select unit from admitted)` : sql``}),
    new_usage as (${hasKeys ? insertSent(uses, slot, sql`select unit from admitted`) : insertSent(together(uses), slot)}),
    ${INSERT_BODIES}
    ${hasAttachments ? INSERT_ATTACHMENTS : sql``}
    ${submitted.length > 0 ? insertSubmitted(submitted) : sql``}
    ${INSERT_ACCEPTED}
    ${handOver ? SELECT_UNITS_AND_SUPPRESSED : sql`select distinct unit from accepted`}`
}

/** A unit that was accepted; with an origin, a suppressed recipient in it who would be written to straight away. */
type WrittenRow = { readonly unit: number } & (Suppressed | { readonly origin?: null })

const isSuppressed = (row: WrittenRow): row is WrittenRow & Suppressed => Boolean(row.origin)

/** A probe of the index for each recipient, however many the planner expects of a JSON array. */
const SELECT_UNITS_AND_SUPPRESSED = sql`
    select unit, null::uuid as team, null as recipient, null as origin from (select distinct unit from accepted) units
    union all
    select * from (
      select unit, team, recipient, ${originOf(sql`team`, sql`recipient`)} as origin
      from accepted, json_array_elements_text(recipients) as one (recipient)
      where holder is not null offset 0) handed_over
    where origin is not null`

const INSERT_ACCEPTED = insertAccepted(0)
const INSERT_BODIES = sql.write`
    new_bodies as (
      insert into email_bodies (team_id, email_id, html, text) select team, id, html, text from accepted),`
const MORE_COLUMNS = sql`, unit int, html text, text text, attachments json`

function rowOf(unit: number, email: NewEmail, clock: Clock) {
  const row = recordOf(email, clock)
  row.unit = unit
  row.html = email.html
  row.text = email.text
  row.attachments = email.attachments
  return row
}

const INSERT_ATTACHMENTS = sql.write`
    new_attachments as (
      insert into email_attachments (team_id, id, email_id, filename, content_type, content_id, size, blob, created_at)
      select team, one.id, accepted.id, filename, "contentType", "contentId", size, ${referencedBlob(sql`blob`)}, accepted."createdAt"
      from accepted, json_to_recordset(attachments) as one (
        id uuid, filename text, "contentType" text, "contentId" text, size bigint, blob text)),`

/** The bytes travel as one binary value, cut up over there. */
function insertSubmitted(emails: readonly NewEmail[]): Sql {
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
