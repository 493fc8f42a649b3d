import { setTimeout as wait } from 'node:timers/promises'
import { recordAll } from '../outbox/record.ts'
import type { Clock } from '../platform/clock.ts'
import { ClaimCursor } from '../platform/db/claim-cursor.ts'
import type { Database } from '../platform/db/database.ts'
import { levelOf } from '../platform/db/errors.ts'
import { LostClaims } from '../platform/db/lost-claims.ts'
import { patiently } from '../platform/db/patiently.ts'
import { TakeOver } from '../platform/db/take-over.ts'
import type { Log } from '../platform/log.ts'
import { Loop } from '../platform/loop.ts'
import { Broadcasts } from './broadcasts.ts'
import { deliver, type Objections, type Transport } from './deliver.ts'
import { emailFact } from './email.ts'
import { SendingFence } from './fence.ts'
import type { Lines } from './lines.ts'
import { decideScheduled, type LoadedEmail, loadEmails } from './load.ts'
import { findObjections } from './objections.ts'
import type { DeliveryObserver } from './observer.ts'
import {
  type Claimed,
  claimDue,
  claimParked,
  DELIVERIES_CHANNEL,
  DELIVERY_HOLDERS,
  postponeAll,
  releaseHeldBy,
  releaseUnknown,
} from './queries.ts'
import { nextAttempt } from './retry.ts'
import { type Result, Settler } from './settle.ts'
import { untried } from './verdict.ts'

const CLAIM_ROWS = 100
/** Far more than two cores can sign at a time, so that slow destinations do not keep the fast ones from their work. */
const ROWS_IN_HAND = 1_000
/** What others take their time with is not what keeps this process busy, up to a point: then it takes up nothing more. */
const SLOW_MS = 5_000
const SLOW_ROWS = 500
/** Room that mail to many must leave: a password reset is taken up also while a newsletter fills all hands. */
const KEPT_FREE = 200
const LOOKS = { pollMs: 1_000, restMs: 0 }
/** An answer that was heard is worth waiting for a database that is away, for as long as anybody would. */
const PATIENCE_SECONDS = 1_800

/** For what was heard last to be written down before the process leaves. */
const SETTLE_MS = 1_000

/** What one person waits for, then what goes to many. */
const PRIORITIES = [
  { priority: 0, keptFree: 0 },
  { priority: 1, keptFree: KEPT_FREE },
]

/**
 * Works off the ledger: claims due rows, sends, settles. What it has claimed is this node's as long as the node lives; a row leaves its
 * hands in one of three ways: settled, given back when the process stops, or taken over by another node when this one is gone.
 */
export class DeliveryWorker {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #transport: Transport
  readonly #observer: DeliveryObserver | undefined
  readonly #settler: Settler
  readonly #broadcasts: Broadcasts
  readonly #fence: SendingFence
  readonly #lines: Lines
  readonly #takeOver: TakeOver
  readonly #lostClaims = new LostClaims()
  readonly #cursors = PRIORITIES.map(() => new ClaimCursor())
  readonly #working = new Set<Promise<void>>()
  /** Since when, the oldest first. */
  readonly #inHand = new Map<Claimed, number>()
  #isStopping = false
  /** There may be due rows that were not claimed for want of room. */
  #isStarving = false
  readonly #loop = new Loop(async () => Boolean(await this.#quietly(() => this.#claimSome())), LOOKS)
  #stopListening = () => {}

  constructor(parts: {
    db: Database
    clock: Clock
    log: Log
    transport: Transport
    lines: Lines
    observer?: DeliveryObserver
  }) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#log = parts.log
    this.#transport = parts.transport
    this.#observer = parts.observer
    this.#settler = new Settler(parts.db, parts.clock, parts.observer)
    this.#broadcasts = new Broadcasts(parts.db)
    this.#fence = new SendingFence(parts.db.presence)
    this.#lines = parts.lines
    this.#takeOver = new TakeOver({
      db: parts.db,
      holders: DELIVERY_HOLDERS,
      release: (nodes) => this.#release(nodes),
      quietly: (work) => this.#quietly(work),
    })
  }

  async start() {
    await this.#db.presence.start()
    this.#stopListening = this.#db.signals.work(DELIVERIES_CHANNEL, () => this.#loop.wake())
    this.#takeOver.start()
    this.#loop.start()
  }

  /**
   * Claims and begins nothing more, gives back what was not begun and finishes the rest. What does not end in time is nobody's when
   * this process is gone.
   */
  async stop(graceMs: number) {
    this.#isStopping = true
    this.#fence.stop()
    this.#stopListening()
    this.#takeOver.stop()
    await this.#loop.stop()
    const ended = Promise.all([this.#transport.close(graceMs), this.#finished()])
    await Promise.race([ended, wait(graceMs + SETTLE_MS, undefined, { ref: false })])
  }

  /** Delivers until nothing is due, then returns: what tests call instead of waiting for a loop. */
  async runDue() {
    for (;;) {
      for (const cursor of this.#cursors) cursor.reset()
      const { claimed } = await this.#claim()
      const fetched = await this.#fetchParked()
      if (claimed + fetched === 0) return
      await this.#finished()
    }
  }

  async #finished() {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  /** Tells whether there is more that it has room for. */
  async #claimSome(): Promise<boolean> {
    if (!this.#db.presence.mayWork) return false
    const { isMore } = await this.#claim()
    await this.#fetchParked()
    if (isMore || this.#isStarving) this.#db.signals.passOn(DELIVERIES_CHANNEL)
    return isMore
  }

  async #claim(): Promise<{ claimed: number; isMore: boolean }> {
    const open = PRIORITIES.filter(({ keptFree }) => this.#hasRoom(keptFree))
    this.#isStarving = open.length < PRIORITIES.length
    if (open.length === 0) return { claimed: 0, isMore: false }
    const now = this.#clock.now()
    const begin = performance.now()
    const { node } = this.#db.presence
    const of = open.map(({ priority }) => ({ priority, limit: CLAIM_ROWS, ...this.#cursors[priority]!.begin() }))
    const rows = await this.#lostClaims.claim(
      () => claimDue(this.#db, { node, now, of }),
      () => this.#giveBackUnknown(),
    )
    const tookMs = performance.now() - begin
    let isMore = false
    for (const part of of) {
      const own = rows.filter(({ priority }) => priority === part.priority)
      if (own.length > 0) this.#keep(this.#work(own))
      const isFull = own.length === part.limit
      isMore ||= isFull
      const upTo = isFull ? new Date(Math.max(...own.map(({ dueAt }) => dueAt.getTime()))) : now
      this.#cursors[part.priority]!.finish(part, { upTo, tookMs })
    }
    return { claimed: rows.length, isMore }
  }

  /** Takes what waits in the ledger for a place in line, as far as there are places. */
  async #fetchParked(): Promise<number> {
    const of = this.#lines.withRoom()
    if (of.length === 0 || !this.#hasRoom(0)) return 0
    const { node } = this.#db.presence
    const rows = await this.#lostClaims.claim(
      () => claimParked(this.#db, { node, of }),
      () => this.#giveBackUnknown(),
    )
    for (const one of of) {
      const isOfLine = ({ parkedFor, priority }: (typeof rows)[number]) =>
        parkedFor === one.line.destination && priority === one.line.priority
      this.#lines.fetched(one, rows.filter(isOfLine).length)
    }
    if (rows.length > 0) this.#keep(this.#work(rows))
    return rows.length
  }

  async #giveBackUnknown() {
    await releaseUnknown(this.#db, this.#db.presence.node, this.#inHand.keys())
  }

  #hasRoom(keptFree: number) {
    return ROWS_IN_HAND - keptFree - (this.#inHand.size - this.#countSlow()) >= CLAIM_ROWS
  }

  #countSlow(): number {
    const before = performance.now() - SLOW_MS
    let count = 0
    for (const since of this.#inHand.values()) {
      if (since > before || count === SLOW_ROWS) break
      count++
    }
    return count
  }

  /** Everything that can be looked up for all rows at once is, and then each email goes its own way. */
  async #work(rows: readonly Claimed[]) {
    for (const row of rows) this.#inHand.set(row, performance.now())
    let unassigned = [...rows]
    try {
      const { emails, objections } = await patiently(() => this.#prepare(rows), { seconds: PATIENCE_SECONDS })
      for (const email of emails.values()) {
        // In the order in which the email names them, which is the order in which it is told: claimed rows come in any.
        const own = rows.filter(({ emailId }) => emailId === email.id).sort((a, b) => a.position - b.position)
        unassigned = unassigned.filter(({ emailId }) => emailId !== email.id)
        this.#keep(this.#deliver(email, own, objections))
      }
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error }, 'claimed mail could not be prepared; it is tried again later')
      await this.#postpone(unassigned)
    } finally {
      for (const row of unassigned) this.#inHand.delete(row)
    }
  }

  async #prepare(rows: readonly Claimed[]) {
    const loaded = await loadEmails(this.#db, rows, this.#broadcasts)
    const disowned = await this.#begin(loaded.filter(({ isScheduled }) => isScheduled))
    const decided = (email: LoadedEmail) =>
      email.isScheduled ? { ...email, isDisowned: disowned.has(email.id) } : email
    const emails = new Map(loaded.map((email) => [email.id, decided(email)]))
    return { emails, objections: await findObjections(this.#db, rows, emails) }
  }

  /** Transports do not throw for what the other side does; what they throw is a fault of ours: the mail is not to blame, and not lost. */
  async #deliver(email: LoadedEmail, rows: readonly Claimed[], objections: Objections) {
    const undecided = new Set(rows)
    const settling: Promise<void>[] = []
    const settle = (verdicts: Result['verdicts']) => {
      for (const { row } of verdicts) undecided.delete(row)
      settling.push(this.#settle({ email, verdicts }))
    }
    const parts = {
      objections,
      transport: this.#transport,
      fence: this.#fence.for(rows[0]!.holder),
      observer: this.#observer,
    }
    try {
      await deliver(email, rows, parts, settle)
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error, email: email.id }, 'an email could not be sent')
      settle([...undecided].map((row) => ({ row, verdict: untried(error) })))
    }
    await Promise.all(settling)
  }

  async #settle(result: Result) {
    const rows = result.verdicts.map(({ row }) => row)
    try {
      await this.#fence.settling(() => patiently(() => this.#settler.settle(result), { seconds: PATIENCE_SECONDS }))
      for (const { verdict } of result.verdicts) if (verdict.kind === 'parked') this.#lines.parked(verdict.line)
    } catch (error) {
      this.#log[levelOf(error, 'error')](
        { error, email: result.email.id },
        'an email could not be settled; it is tried again later',
      )
      await this.#postpone(rows)
    } finally {
      for (const row of rows) this.#inHand.delete(row)
      const isRoom = (this.#isStarving && this.#hasRoom(KEPT_FREE)) || this.#lines.withRoom().length > 0
      if (isRoom) this.#loop.wake()
    }
  }

  /** By the ladder, although nobody has answered: what went wrong here may go wrong again. */
  async #postpone(rows: readonly Claimed[]) {
    const now = this.#clock.now()
    const later = rows.map((row) => ({
      row,
      dueAt: nextAttempt(row.attempts, { now, giveUpAt: row.giveUpAt }) ?? row.giveUpAt,
    }))
    const isDone = await this.#quietly(() => postponeAll(this.#db, later))
    if (!isDone) this.#lostClaims.suspect()
  }

  #keep(work: Promise<void>) {
    this.#working.add(work)
    work.finally(() => this.#working.delete(work))
  }

  /** Scheduled mail becomes sent mail the moment it is taken up; from here on it cannot be canceled. Returns what is not to be sent. */
  async #begin(scheduled: readonly LoadedEmail[]): Promise<ReadonlySet<string>> {
    if (scheduled.length === 0) return new Set()
    return this.#db.transaction(async (trx) => {
      const { begun, disowned } = await decideScheduled(trx, scheduled)
      const facts = scheduled
        .filter(({ id }) => begun.has(id))
        .map((email) => ({
          team: email.team,
          type: 'email.sent' as const,
          data: emailFact(email, email.to),
          about: email.id,
        }))
      await recordAll(trx, facts)
      return disowned
    })
  }

  async #release(nodes: readonly number[]) {
    const released = await releaseHeldBy(this.#db, nodes)
    if (released === 0) return
    this.#log.warn({ deliveries: released }, 'took over mail of a process that is gone')
    for (const cursor of this.#cursors) cursor.reset()
    this.#loop.wake()
  }

  async #quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!this.#isStopping)
        this.#log[levelOf(error, 'warn')]({ error }, 'the delivery worker could not reach the database')
      return undefined
    }
  }
}
