import { setTimeout as wait } from 'node:timers/promises'
import { type Database, pooled } from '../../../kernel/db/database.ts'
import { withRetries } from '../../../kernel/db/with-retries.ts'
import { WorkerShell } from '../../../kernel/db/worker-shell.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import type { Steps } from '../../../mail/steps.ts'
import type { Clock } from '../../../platform/clock.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import type { Loop } from '../../../platform/concurrency/loop.ts'
import { levelOf } from '../../../platform/database-errors.ts'
import { groupBy } from '../../../platform/group-by.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { tracing } from '../../../platform/observability/tracing.ts'
import type { TeamStates } from '../../limits/team-states.ts'
import { copySlices } from './copy-slices.ts'
import { deliver, type HeldRow, type Objections, type Outgoing, type Transport } from './deliver.ts'
import { type AcceptedEmails, HandOvers } from './hand-overs.ts'
import { Claims } from './ledger/claims.ts'
import type { ErasedAddresses } from './ledger/erased-addresses.ts'
import { beginScheduled, findUnjudged, type LoadedEmail, loadEmails } from './ledger/load.ts'
import {
  type Claimed,
  DELIVERIES_CHANNEL,
  DELIVERY_HOLDERS,
  findSuppressed,
  postponeAll,
  releaseHeldBy,
  releaseUnknown,
} from './ledger/queries.ts'
import { findBroadcasts, findHeldBy, holdBack, holdSuspended } from './ledger/set-aside.ts'
import { Broadcasts } from './message/broadcasts.ts'
import { beginDelivery, noteVerdicts } from './outcomes/attempt-trace.ts'
import { findObjections } from './outcomes/objections.ts'
import type { DeliveryObserver } from './outcomes/observer.ts'
import { DEFAULT_RETRY, nextAttempt, type RetryPolicy } from './outcomes/retry.ts'
import { type EmailOutcome, Settler } from './outcomes/settle.ts'
import { untried } from './outcomes/verdict.ts'
import type { DestinationQueues } from './transport/destination-queues.ts'
import type { DestinationStops } from './transport/destination-stops.ts'
import { SendingFence } from './transport/fence.ts'

/** An answer that was heard is worth waiting for a database that is away, for as long as anybody would. */
const RETRY_FOR_SECONDS = 1_800

/** For what was heard last to be written down before the process leaves. */
const SETTLE_MS = 1_000

const NONE: ReadonlySet<string> = new Set()

/** By then this process knows what is on hold. */
const NOT_HELD = { kind: 'postponed', seconds: 1 } as const

/** Something that is kept in memory as it is in the database, until the function that it gives is called. */
interface Followed {
  follow(): Promise<() => void>
}

/** Works off the ledger: claims due rows, sends, settles. */
export class DeliveryWorker {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #transport: Transport
  readonly #observer: DeliveryObserver | undefined
  readonly #records: { close(graceMs: number): Promise<void> } | null
  readonly #settler: Settler
  readonly #retry: RetryPolicy
  readonly #erased: ErasedAddresses | null
  readonly #broadcasts: Broadcasts
  readonly #fence: SendingFence
  readonly #queues: DestinationQueues
  readonly #followed: readonly Followed[]
  #ignore: readonly (() => void)[] = []
  readonly #teamStates: Pick<TeamStates, 'suspensionOf' | 'holds'>
  readonly #shell: WorkerShell<Claimed>
  readonly #claims: Claims
  /** Takes emails that are accepted in this process. */
  readonly straightThrough: HandOvers
  readonly #loop: Loop

  constructor(parts: {
    db: Database
    clock: Clock
    log: Log
    transport: Transport
    queues: DestinationQueues
    stops?: DestinationStops
    /** What other nodes find out about destinations. */
    followed?: readonly Followed[]
    teamStates: Pick<TeamStates, 'suspensionOf' | 'holds'>
    observer?: DeliveryObserver
    /** Where records of attempts go. */
    records?: { close(graceMs: number): Promise<void> } | null
    retry?: RetryPolicy
    erased?: ErasedAddresses
  }) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#log = parts.log
    this.#transport = parts.transport
    this.#observer = parts.observer
    this.#records = parts.records ?? null
    this.#retry = parts.retry ?? DEFAULT_RETRY
    this.#erased = parts.erased ?? null
    this.#settler = new Settler(parts.db, parts.clock, parts)
    this.#broadcasts = new Broadcasts(parts.db)
    this.#fence = new SendingFence(parts.db.presence)
    this.#queues = parts.queues
    this.#followed = parts.followed ?? []
    this.#teamStates = parts.teamStates
    this.#shell = new WorkerShell(parts, {
      names: { worker: 'delivery', rows: 'deliveries' },
      channel: DELIVERIES_CHANNEL,
      holders: DELIVERY_HOLDERS,
      teamOf: ({ team }) => team,
      release: (nodes) => releaseHeldBy(parts.db, nodes),
      releaseUnknown: (node, known) => releaseUnknown(parts.db, node, known),
      onReleased: () => this.#claims.resetCursors(),
      onRemoved: (rows) => {
        this.straightThrough.removed(rows)
        this.#claims.removed(rows)
      },
    })
    this.#claims = new Claims(parts, this.#shell)
    this.straightThrough = new HandOvers({
      shell: this.#shell,
      claims: this.#claims,
      presence: parts.db.presence,
      teamStates: parts.teamStates,
      giveUpAfterSeconds: this.#retry.giveUpAfterSeconds,
      work: (rows, found) => this.#work(rows, (remaining) => this.#object(remaining, found)),
    })
    this.#loop = this.#shell.addLoop(() => this.#claimSome())
  }

  async start() {
    this.#ignore = await Promise.all(this.#followed.map((one) => one.follow()))
    await this.#shell.start()
  }

  /**
   * Claims and begins nothing more, gives back what was not begun and finishes the rest. What does not end in time is nobody's when
   * this process is gone, and not before: it may still be on its way.
   */
  async stop(graceMs: number) {
    this.#fence.stop()
    for (const ignore of this.#ignore) ignore()
    await this.#shell.stop()
    const ended = Promise.all([this.#transport.close(graceMs), this.#shell.settled()])
    await Promise.race([ended, wait(graceMs + SETTLE_MS, undefined, { ref: false })])
    await this.#records?.close(SETTLE_MS)
  }

  /** Delivers until nothing is due, then returns. */
  runDue() {
    return this.#shell.runDue(async () => {
      this.#claims.resetCursors()
      return (await this.#claim()).claimed > 0
    })
  }

  /** Tells whether there is more that it has room for. */
  async #claimSome(): Promise<boolean> {
    const { isMore } = await this.#claim()
    if (isMore || this.#claims.isStarving) this.#shell.wakePeer()
    return isMore
  }

  async #claim(): Promise<{ claimed: number; isMore: boolean }> {
    const { batches, isMore } = await this.#claims.due()
    for (const rows of batches) this.#shell.track(this.#work(rows))
    const parked = await this.#claims.parked()
    if (parked.length > 0) this.#shell.track(this.#work(parked))
    return { claimed: batches.reduce((sum, { length }) => sum + length, parked.length), isMore }
  }

  /** Everything that can be looked up for all rows at once is, and then each email goes its own way. */
  async #work(claimed: readonly Claimed[], prepare = (rows: readonly Claimed[]) => this.#prepare(rows)) {
    let unassigned = new Set(claimed)
    try {
      const rows = await this.#withoutHeld(await this.#withoutSuspended(claimed))
      if (rows.length < claimed.length) {
        const remaining = new Set(rows)
        this.#shell.inFlight.remove(claimed.filter((row) => !remaining.has(row)))
        if (this.#claims.canClaimMore) this.#loop.wake()
        unassigned = remaining
      }
      if (rows.length === 0) return
      const { emails, objections } = await withRetries(() => prepare(rows), { seconds: RETRY_FOR_SECONDS })
      await inTurns(this.#deliverEach(emails, objections, unassigned))
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error }, 'delivery: preparing claimed emails failed; they are retried')
      await this.#postpone([...unassigned])
    } finally {
      this.#shell.inFlight.remove(unassigned)
    }
  }

  /** Begins with all emails, in turns with what else arrives: claimed rows can be hundreds. */
  *#deliverEach(
    emails: ReadonlyMap<string, LoadedEmail>,
    objections: Objections,
    unassigned: Set<Claimed>,
  ): Steps<void> {
    for (const [emailId, own] of groupBy(unassigned, ({ emailId }) => emailId)) {
      const email = emails.get(emailId)
      if (!email) continue
      for (const row of own) unassigned.delete(row)
      // In the order in which the email names them, which is the order in the event: claimed rows come in any.
      own.sort((a, b) => a.position - b.position)
      this.#shell.track(this.#deliver(email, own, objections))
      yield
    }
  }

  /** Mail of a team that is suspended is set aside before anything is decided about it. */
  async #withoutSuspended(rows: readonly Claimed[]): Promise<readonly Claimed[]> {
    const suspended = rows.filter(({ team }) => this.#teamStates.suspensionOf(team))
    if (suspended.length === 0) return rows
    const aside = await withRetries(() => holdSuspended(pooled(this.#db), suspended, this.#clock.now()), {
      seconds: RETRY_FOR_SECONDS,
    })
    return rows.filter((row) => !aside.includes(row))
  }

  /** So is mail that an operator holds back, and that of a broadcast which is paused. */
  async #withoutHeld(rows: readonly Claimed[]): Promise<readonly Claimed[]> {
    const { holds } = this.#teamStates
    const { pausedBroadcasts } = holds
    if ((holds.isEmpty && pausedBroadcasts.length === 0) || rows.length === 0) return rows
    const withPatience = <Result>(work: () => Promise<Result>) => withRetries(work, { seconds: RETRY_FOR_SECONDS })
    const emails = holds.needEmails ? await withPatience(() => findHeldBy(this.#db, rows)) : null
    const paused =
      pausedBroadcasts.length > 0 ? await withPatience(() => findBroadcasts(this.#db, rows, pausedBroadcasts)) : null
    const held = rows.flatMap((row) => {
      const { emailId, destination, parkedFor } = row
      const mail = { ...row, ...emails?.get(emailId), destination: destination ?? parkedFor }
      const hold = holds.find(mail) ?? paused?.get(emailId) ?? null
      return hold === null ? [] : [{ row, hold }]
    })
    if (held.length === 0) return rows
    const aside = new Set(await withPatience(() => holdBack(pooled(this.#db), held, this.#clock.now())))
    return rows.filter((row) => !aside.has(row))
  }

  async #prepare(rows: readonly Claimed[]) {
    const [loaded, suppressed] = await Promise.all([
      loadEmails(this.#db, rows, this.#broadcasts),
      findSuppressed(this.#db, rows, this.#erased),
    ])
    const scheduled = loaded.filter(({ isScheduled }) => isScheduled)
    const unjudged = scheduled.length > 0 ? await findUnjudged(pooled(this.#db), scheduled) : NONE
    const disowned = await this.#begin(scheduled.filter(({ id }) => !unjudged.has(id)))
    const decided = (email: LoadedEmail) =>
      email.isScheduled ? { ...email, isDisowned: disowned.has(email.id), isUnjudged: unjudged.has(email.id) } : email
    const emails = new Map(loaded.map((email) => [email.id, decided(email)]))
    return this.#object(rows, { emails, suppressed })
  }

  async #object(rows: readonly Claimed[], { emails, suppressed }: AcceptedEmails) {
    return { emails, objections: await findObjections(this.#db, rows, { emails, suppressed }) }
  }

  /** Transports do not throw for what the other side does; what they throw is a fault of ours: the mail is not to blame, and not lost. */
  async #deliver(email: LoadedEmail, rows: readonly Claimed[], objections: Objections) {
    if (email.broadcast) await copySlices.enter()
    else copySlices.giveWay()
    const span = tracing && beginDelivery(tracing, email, { rows, now: this.#clock.now() })
    const undecided = new Set(rows)
    const settling: Promise<void>[] = []
    const settle = (verdicts: EmailOutcome['verdicts']) => {
      for (const { row } of verdicts) undecided.delete(row)
      if (span) noteVerdicts(span, verdicts)
      settling.push(this.#settle({ email, verdicts, ...(span && { trace: span.context }) }))
    }
    const setAside = (held: readonly HeldRow[]) => {
      for (const { row } of held) undecided.delete(row)
      settling.push(this.#setAside(email, held))
    }
    const parts = {
      objections,
      transport: this.#transport,
      fence: this.#fence.for(rows[0]!.holder),
      observer: this.#observer,
      span,
      holdAt: this.#holdAt(email),
      setAside,
    }
    try {
      await deliver(email, rows, parts, settle)
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error, email: email.id }, 'delivery: sending an email failed')
      settle([...undecided].map((row) => ({ row, verdict: untried(error) })))
    }
    await (settling.length === 1 ? settling[0] : Promise.all(settling))
    span?.end()
  }

  /** Where mail goes is known late: under which hold it falls, if there are holds by that. */
  #holdAt(email: LoadedEmail): Outgoing['holdAt'] {
    const { team, id: emailId, from, tags } = email
    return (recipient, destination) => {
      const { holds } = this.#teamStates
      return holds.needDestinations ? holds.find({ team, emailId, from, tags, recipient, destination }) : null
    }
  }

  /** What nobody holds back any more by now comes back to the ledger. */
  async #setAside(email: LoadedEmail, held: readonly HeldRow[]) {
    const work = () => holdBack(pooled(this.#db), held, this.#clock.now())
    const aside = new Set(
      await withRetries(work, { seconds: RETRY_FOR_SECONDS }).catch((error: unknown) => {
        this.#log[levelOf(error, 'error')]({ error, email: email.id }, 'delivery: setting an email aside failed')
        return []
      }),
    )
    const others = held.flatMap(({ row }) => (aside.has(row) ? [] : [{ row, verdict: NOT_HELD }]))
    this.#shell.inFlight.remove(aside)
    if (others.length > 0) await this.#settle({ email, verdicts: others })
    else if (this.#claims.canClaimMore) this.#loop.wake()
  }

  async #settle(result: EmailOutcome & { readonly email: LoadedEmail }) {
    const rows = result.verdicts.map(({ row }) => row)
    this.#fence.beginSettling(result)
    const { trace: parent } = result
    const span = parent && tracing ? tracing.begin('email.settle', { parent }) : null
    try {
      await withRetries(() => this.#settler.settle(result), { seconds: RETRY_FOR_SECONDS })
      this.#fence.endSettling(result)
      this.#observer?.ended?.(result)
      for (const { row, verdict } of result.verdicts) {
        if (verdict.kind === 'postponed' || ('queue' in verdict && verdict.queue)) this.#claims.parkedAgain(row)
        if ('queue' in verdict && verdict.queue) this.#queues.parked(verdict.queue)
      }
    } catch (error) {
      this.#log[levelOf(error, 'error')](
        { error, email: result.email.id },
        'delivery: settling an email failed; it is retried',
      )
      this.#fence.endSettling(result)
      await this.#postpone(rows)
    } finally {
      span?.end()
      this.#shell.inFlight.remove(rows)
      if (this.#claims.canClaimMore) this.#loop.wake()
    }
  }

  /** As late as after the next refusal, although nobody has answered: what went wrong here may go wrong again. The schedule does not climb by it. */
  async #postpone(rows: readonly Claimed[]) {
    const now = this.#clock.now()
    const later = rows.map((row) => {
      const own = this.#clock.of(row.team)
      const leftMs = own.fromReal(row.giveUpAt).getTime() - own.now().getTime()
      const giveUpAt = new Date(now.getTime() + leftMs)
      return { row, dueAt: nextAttempt(row.attempts, { now, giveUpAt, retry: this.#retry }) ?? giveUpAt }
    })
    const isDone = await this.#shell.logErrors(() => postponeAll(this.#db, later), 'postponing emails')
    if (!isDone) this.#shell.markUncertain()
  }

  /** Tells which ones are not to be sent. */
  async #begin(scheduled: readonly LoadedEmail[]): Promise<ReadonlySet<string>> {
    if (scheduled.length === 0) return NONE
    const { begun, disowned } = await beginScheduled(pooled(this.#db), scheduled)
    if (begun.size > 0) this.#db.signals.announce(OUTBOX_CHANNEL)
    return disowned
  }
}
