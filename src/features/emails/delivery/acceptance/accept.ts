import type { Database, Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import type { Problem } from '../../../../kernel/http/problem.ts'
import type { AnsweredRequest } from '../../../../kernel/idempotency/queries.ts'
import { OUTBOX_CHANNEL } from '../../../../kernel/outbox/record.ts'
import type { Layout } from '../../../../mail/submitted/layout.ts'
import { Batcher } from '../../../../platform/concurrency/batcher.ts'
import { Semaphore } from '../../../../platform/concurrency/semaphore.ts'
import { DatabaseBusy } from '../../../../platform/database-errors.ts'
import { type Span, spanning, tracing } from '../../../../platform/observability/tracing.ts'
import { lockBalances, type OverQuota } from '../../../limits/quota.ts'
import type { TeamStates } from '../../../limits/team-states.ts'
import { dayOf, insertSent, together, UsageSlot, UsageSlots, type Use } from '../../../limits/usage.ts'
import { lockAndJudge } from '../../../policies/judging.ts'
import { writePolicyEmails } from '../../../policies/queries.ts'
import type { JudgedEmail } from '../../../policies/rules.ts'
import { enqueueApprovalJobs } from '../approvals/approval.ts'
import { copySlices } from '../copy-slices.ts'
import type { Email } from '../email.ts'
import type { WrittenFields } from '../ledger/email-fields.ts'
import type { ErasedAddresses } from '../ledger/erased-addresses.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import { DEFAULT_RETRY } from '../outcomes/retry.ts'
import type { NewCopy, ReserveCopies } from './accept-copies.ts'
import {
  type AcceptingParts,
  acceptingStatement,
  INSERT_BODIES,
  insertSubmitted,
  isSuppressed,
  MORE_COLUMNS,
  MORE_TRACED_COLUMNS,
  packRows,
  rowOf,
  type WrittenRow,
} from './accepting-statement.ts'
import { insertAccepted, recordsOf } from './insert-emails.ts'
import { pendingApprovalsIn } from './pending-approvals.ts'
import type { HandOver, StraightThrough, StraightThroughCopies } from './straight-through.ts'
import { beginAccepting, traceEmails } from './traced-emails.ts'

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
export interface NewEmail
  extends Email,
    WrittenFields,
    Pick<JudgedEmail, 'isTemplateAsIs' | 'otherSenders' | 'relayHeaders'> {
  readonly submitted?: SubmittedMessage
  readonly html: string | null
  readonly text: string | null
  /** Bare addresses: to, cc and bcc, each once. */
  readonly recipients: readonly string[]
  readonly attachments: readonly StoredAttachment[]
  /** Set: it is accepted only as far as this policy of its team allows. */
  readonly policyId?: string | null
  /** Set: it is scheduled by an app without a policy (its grant). If the app gets one meanwhile, that is asked. Of keys the email itself tells. */
  readonly scheduledBy?: string
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

interface AcceptanceOptions {
  readonly giveUpAfterSeconds?: number
  /** Null: nobody was erased. */
  readonly erased?: ErasedAddresses | null
  /** Teams of which no mail leaves this machine. */
  keepsMail?(team: string): boolean
}

/** Why a submission is not accepted. */
type Objection = OverQuota | Problem

/**
 * Accepts emails: email, ledger rows, idempotency record and event in one statement, and the promise resolves when the commit is
 * durable. Submissions that arrive while a write is under way share the next commit.
 */
export class Acceptance {
  readonly #db: Database
  readonly #states: TeamStates
  readonly #giveUpAfterSeconds: number
  readonly #erased: ErasedAddresses | null
  readonly #keepsMail: (team: string) => boolean
  readonly #slots: UsageSlots
  /** Of transactions of others. Nobody here knows when they end, so they share one, and those of a team take turns. */
  readonly #ownSlot = new UsageSlot()
  #straightThrough: StraightThrough | null = null
  #straightThroughCopies: StraightThroughCopies | null = null
  readonly #broadcastTurns = new Semaphore(1)
  readonly #batcher: Batcher<Submission, boolean>
  /** Of teams that may send only so much, and under policies: they take turns with whoever else counts against the same limit. */
  readonly #limited: Batcher<Submission, boolean | Objection>

  constructor(
    db: Database,
    states: TeamStates,
    {
      giveUpAfterSeconds = DEFAULT_RETRY.giveUpAfterSeconds,
      erased = null,
      keepsMail = () => false,
    }: AcceptanceOptions = {},
  ) {
    this.#db = db
    this.#erased = erased
    this.#keepsMail = keepsMail
    this.#giveUpAfterSeconds = giveUpAfterSeconds
    this.#states = states
    this.#slots = new UsageSlots(db.clock)
    this.#batcher = new Batcher((submissions) => this.#write(submissions), LIMITS)
    this.#limited = new Batcher((submissions) => this.#writeWithinLimits(submissions), LIMITS)
  }

  /** Which teams can send nothing for now. */
  get states(): Pick<TeamStates, 'suspensionOf'> {
    return this.#states
  }

  /** From here on, emails that are due now go on in this process as soon as they are accepted, as far as the delivery has room. */
  deliverThrough(straightThrough: StraightThrough, copies: StraightThroughCopies | null = null) {
    this.#straightThrough = straightThrough
    this.#straightThroughCopies = copies
  }

  /** False: the idempotency key is taken, and nothing was written. Throws `OverQuota`, and the `Problem` that a policy has with it. */
  accept(submission: Submission): Promise<boolean> {
    copySlices.giveWay()
    const span = tracing && beginAccepting(tracing, submission.emails)
    return span ? this.#acceptTraced(span, submission) : this.#accept(submission)
  }

  #acceptTraced(span: Span, submission: Submission): Promise<boolean> {
    return spanning(span, () => this.#accept(submission))
  }

  #accept(submission: Submission): Promise<boolean> {
    const { emailsPerDay, emailsPerMonth } = this.#states.limitsOf(teamOf(submission))
    if (emailsPerDay === null && emailsPerMonth === null && !submission.emails.some(isCountedApart))
      return this.#batcher.add(submission)
    return this.#acceptWithinLimits(submission)
  }

  async #acceptWithinLimits(submission: Submission): Promise<boolean> {
    const accepted = await this.#limited.add(submission)
    if (isObjection(accepted)) throw accepted
    return accepted
  }

  /**
   * The same inside of a transaction of the caller's, who may change more in it. When this gives false or throws, the caller rolls back.
   */
  async acceptWithin(trx: Transaction, submission: Submission): Promise<boolean> {
    if (tracing?.active) traceEmails(submission.emails, tracing.active)
    const slot = this.#ownSlot.at(this.#db.clock.now())
    const { verdicts } = await this.#writeFitting(trx, [submission], { slot })
    const [accepted] = verdicts
    if (isObjection(accepted!)) throw accepted
    return accepted!
  }

  /**
   * Runs a transaction that accepts copies of a broadcast (`acceptRecipientEmails`). What goes straight through is delivered when it has committed. Where
   * copies can, the broadcasts of this process take turns, a batch each, when there are free slots: `most` tells how many it may be. 0: the batch is for
   * another process.
   */
  async acceptCopies<Result>(
    signal: AbortSignal,
    transact: (batch: { readonly most: number | null; readonly reserve: ReserveCopies }) => Promise<Result>,
  ): Promise<Result> {
    const straightThrough = this.#straightThroughCopies
    if (!straightThrough) return transact({ most: null, reserve: () => null })
    return this.#broadcastTurns.run(1, async () => {
      const most = await straightThrough.slotsForCopies(signal)
      signal.throwIfAborted()
      return handingOver((remember) =>
        transact({
          most,
          reserve: (copies, broadcast) => remember(copies, straightThrough.reserveCopies(copies, broadcast)),
        }),
      )
    })
  }

  /** False: another process should make the next copies of broadcasts. */
  get mayExpand(): boolean {
    return this.#straightThroughCopies?.mayExpand ?? true
  }

  async #write(submissions: readonly Submission[]): Promise<boolean[]> {
    const uses = submissions.map((one, unit) => useOf(one, unit))
    const handOver = this.#reserve(submissions)
    const channels = handOver?.isForAll ? [OUTBOX_CHANNEL] : [DELIVERIES_CHANNEL, OUTBOX_CHANNEL]
    const write = (slot: number) =>
      this.#db.signals.announceWith(channels, (notified) =>
        this.#db.queryPooled<WrittenRow>(this.#statement(submissions, { uses, slot, handOver, notified })),
      )
    const rows = await this.#slots.use(write).catch((error) => {
      handOver?.failed(error)
      throw error
    })
    const written = writtenOf(submissions, rows)
    handOver?.committed(written)
    return submissions.map((one) => written.submissions.has(one))
  }

  #statement(submissions: readonly Submission[], parts: Omit<AcceptingParts, 'giveUpAfterSeconds' | 'erased'>) {
    const own = { giveUpAfterSeconds: this.#giveUpAfterSeconds, erased: this.#erased }
    return acceptingStatement(submissions, { ...parts, ...own }, this.#db)
  }

  #reserve(submissions: readonly Submission[]): HandOver | null {
    return this.#straightThrough?.reserve(submissions.flatMap(({ emails }) => emails)) ?? null
  }

  /** What does not fit is left out, and what comes behind it may fit. */
  async #writeWithinLimits(submissions: readonly Submission[]): Promise<(boolean | Objection)[]> {
    let handOver = null as HandOver | null
    const reserve = (fitting: readonly Submission[]) => {
      handOver?.failed(UNDONE)
      handOver = this.#reserve(fitting)
      return handOver
    }
    try {
      const { verdicts, written } = await this.#slots.use((slot) =>
        this.#db.transaction((trx) => this.#writeFitting(trx, submissions, { slot, reserve })),
      )
      handOver?.committed(written)
      return verdicts
    } catch (error) {
      handOver?.failed(error)
      throw error
    }
  }

  async #writeFitting(
    trx: Transaction,
    submissions: readonly Submission[],
    { slot, reserve }: { slot: number; reserve?: (fitting: readonly Submission[]) => HandOver | null },
  ) {
    // One day for all of a team, also at midnight: the balance of another day would not know what is taken from this one.
    const days = new Map<string, string>()
    for (const { team, day } of submissions.map((one) => useOf(one)))
      if (day > (days.get(team) ?? '')) days.set(team, day)
    const balances = await lockBalances(trx, days)
    const judge = await lockAndJudge(trx, submissions, { keepsMail: this.#keepsMail })
    const refusals = submissions.map((one) => {
      const refusal = judge?.refuse(one) ?? balances.get(teamOf(one))!.take(recipientsOf(one))
      if (!refusal) judge?.take(one)
      return refusal
    })
    const fitting = submissions.filter((_one, index) => refusals[index] === null)
    const held = judge ? pendingApprovalsIn(judge, fitting, trx.clock) : null
    const isHeld = ({ emails }: Submission) => held?.has(emails[0]!) === true
    const [waiting, free] = [fitting.filter(isHeld), fitting.filter((one) => !isHeld(one))]
    const handOver = reserve?.(free) ?? null
    const write = async (some: readonly Submission[], parts: Pick<AcceptingParts, 'handOver' | 'held'>) => {
      const uses = some.map((one, unit) => ({ ...useOf(one, unit), day: days.get(teamOf(one))! }))
      const statement = some.length > 0 && this.#statement(some, { uses, slot, ...parts })
      return writtenOf(some, statement ? await trx.query<WrittenRow>(statement) : [])
    }
    const written = await write(free, { handOver })
    const kept = await write(waiting, { handOver: null, held })
    if (!handOver?.isForAll) trx.announce(DELIVERIES_CHANNEL)
    trx.announce(OUTBOX_CHANNEL)
    if (held) await enqueueApprovalJobs(trx, kept.emails, held)
    const accepted = new Set([...written.submissions, ...kept.submissions])
    // Not what another process has accepted under the same idempotency key: it counts once.
    await judge?.record(trx, [...accepted])
    await writePolicyEmails(trx, [...accepted].flatMap(scheduledByApps))
    return { verdicts: submissions.map((one, index) => refusals[index] ?? accepted.has(one)), written }
  }
}

const isCountedApart = ({ policyId, scheduledBy }: NewEmail) => Boolean(policyId) || scheduledBy !== undefined

const scheduledByApps = ({ emails }: Submission) =>
  emails.flatMap(({ team, id, scheduledBy }) =>
    scheduledBy === undefined
      ? []
      : [{ team, policyId: scheduledBy, id, recipients: 0, isHeld: false, countedAt: null }],
  )

/** A transaction may be done again: what the try before has reserved was not written. */
const UNDONE = new DatabaseBusy('The transaction is done again.')

const isObjection = (verdict: boolean | Objection): verdict is Objection => typeof verdict === 'object'

/** Runs a transaction, and ends the hand-over of copies that it has made. */
async function handingOver<Result>(
  transact: (
    remember: (copies: readonly NewCopy[], handOver: HandOver<NewCopy> | null) => HandOver<NewCopy> | null,
  ) => Promise<Result>,
): Promise<Result> {
  let begun = null as { readonly copies: readonly NewCopy[]; readonly handOver: HandOver<NewCopy> } | null
  try {
    const result = await transact((copies, handOver) => {
      begun?.handOver.failed(UNDONE)
      begun = handOver && { copies, handOver }
      return handOver
    })
    // Who is suppressed was left out in the same transaction.
    begun?.handOver.committed({ emails: begun.copies, suppressed: [] })
    return result
  } catch (error) {
    begun?.handOver.failed(error)
    throw error
  }
}

/** What was accepted: all but what came with an idempotency key that is taken. */
function writtenOf(submissions: readonly Submission[], rows: readonly WrittenRow[]) {
  const admitted = new Set(rows.map(({ unit }) => unit))
  const accepted = submissions.filter((_submission, unit) => admitted.has(unit))
  return {
    submissions: new Set(accepted),
    emails: accepted.flatMap(({ emails }) => emails),
    suppressed: rows.filter(isSuppressed),
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
export async function acceptEmails(
  trx: Transaction,
  emails: readonly NewEmail[],
  { giveUpAfterSeconds, storesCompactly }: { giveUpAfterSeconds: number; storesCompactly: boolean },
) {
  const span = tracing?.active ?? null
  if (span) traceEmails(emails, span)
  const rows = emails.map((email) => rowOf(0, email, { clock: trx.clock, giveUpAfterSeconds }))
  if (storesCompactly) packRows(rows)
  const uses = together(emails.map((email) => useOf({ emails: [email], idempotency: null })))
  const submitted = emails.filter((email) => email.submitted)
  await trx.query(sql`
    with accepted as materialized (select * from ${recordsOf(rows, span ? MORE_TRACED_COLUMNS : MORE_COLUMNS)}),
    new_usage as (${insertSent(uses, slotOfAutomations.at(trx.clock.now()))}),
    ${INSERT_BODIES}
    ${submitted.length > 0 ? insertSubmitted(submitted) : sql``}
    ${insertAccepted(0, { giveUpAfterSeconds, isTraced: span !== null })}
    select`)
  trx.announce(DELIVERIES_CHANNEL)
  trx.announce(OUTBOX_CHANNEL)
}
