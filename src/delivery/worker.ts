import { setTimeout as wait } from 'node:timers/promises'
import { recordAll } from '../outbox/record.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { DeadNodes, LOOK_FOR_DEAD_NODES_MS } from '../platform/db/dead-nodes.ts'
import { patiently } from '../platform/db/patiently.ts'
import type { Log } from '../platform/log.ts'
import { Loop } from '../platform/loop.ts'
import { Broadcasts } from './broadcasts.ts'
import { deliver, type Objections, type Transport } from './deliver.ts'
import { emailFact } from './email.ts'
import { decideScheduled, type LoadedEmail, loadEmails } from './load.ts'
import { findObjections } from './objections.ts'
import { type Claimed, claimDue, DELIVERIES_CHANNEL, DELIVERY_HOLDERS, releaseHeldBy } from './queries.ts'
import { type Result, Settler } from './settle.ts'
import { untried } from './verdict.ts'

/** Longer than any attempt can take, waiting for a connection included: a row must not become due while it is being sent. */
export const LEASE_SECONDS = 1_800
const CLAIM_ROWS = 100
/** Far more than two cores can sign at a time, so that slow destinations do not keep the fast ones from their work. */
const ROWS_IN_HAND = 1_000
/** Room that mail to many must leave: a password reset is taken up also while a newsletter fills all hands. */
const KEPT_FREE = 200
const LOOKS = { pollMs: 1_000, restMs: 0 }
/** What one person waits for, then what goes to many. */
const PRIORITIES = [0, 1]

/**
 * Works off the ledger: claims due rows, sends, settles. A row leaves a worker's hands in one of three ways: settled, given back
 * when the process stops, or taken back by another node when this one is gone (within a second) or its lease is over.
 */
export class DeliveryWorker {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #transport: Transport
  readonly #settler: Settler
  readonly #broadcasts: Broadcasts
  readonly #stopping = new AbortController()
  readonly #inHand = new Set<Promise<void>>()
  readonly #deadNodes = new DeadNodes(DELIVERY_HOLDERS)
  #rowsInHand = 0
  /** There may be due rows of this priority that were not claimed for want of room. */
  #starving: number | null = null
  readonly #loop = new Loop(async () => Boolean(await this.#quietly(() => this.#claimSome())), LOOKS)
  #timer: NodeJS.Timeout | undefined

  constructor(parts: { db: Database; clock: Clock; log: Log; transport: Transport }) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#log = parts.log
    this.#transport = parts.transport
    this.#settler = new Settler(parts.db, parts.clock)
    this.#broadcasts = new Broadcasts(parts.db)
  }

  async start() {
    await this.#db.signals.start()
    this.#db.signals.on(DELIVERIES_CHANNEL, () => this.#loop.wake())
    this.#timer = setInterval(() => this.#quietly(() => this.#takeOver()), LOOK_FOR_DEAD_NODES_MS)
    this.#loop.start()
  }

  /** Claims nothing more and finishes what is in hand. What does not end in time comes back when this process is gone. */
  async stop(graceMs: number) {
    this.#stopping.abort()
    clearInterval(this.#timer)
    await this.#loop.stop()
    const ended = async () => {
      while (this.#inHand.size > 0) await Promise.all(this.#inHand)
    }
    await Promise.race([ended(), wait(graceMs, undefined, { ref: false })])
    await this.#transport.close()
  }

  /** Delivers until nothing is due, then returns: what tests call instead of waiting for a loop. */
  async runDue() {
    while ((await this.#claimSome()) > 0) while (this.#inHand.size > 0) await Promise.all(this.#inHand)
  }

  async #claimSome(): Promise<number> {
    this.#starving = null
    let claimed = 0
    for (const priority of PRIORITIES) {
      const limit = CLAIM_ROWS - claimed
      if (limit === 0) break
      if (!this.#hasRoomFor(priority)) {
        this.#starving = priority
        break
      }
      const claim = {
        node: this.#db.signals.node,
        now: this.#clock.now(),
        leaseSeconds: LEASE_SECONDS,
        limit,
        priority,
      }
      const rows = await claimDue(this.#db, claim)
      if (rows.length > 0) this.#keep(this.#work(rows))
      claimed += rows.length
    }
    return claimed
  }

  #hasRoomFor(priority: number) {
    return ROWS_IN_HAND - (priority === 0 ? 0 : KEPT_FREE) - this.#rowsInHand >= CLAIM_ROWS
  }

  /** Everything that can be looked up for all rows at once is, and then each email goes its own way. */
  async #work(rows: readonly Claimed[]) {
    this.#rowsInHand += rows.length
    let unassigned = rows.length
    try {
      const { emails, objections } = await patiently(() => this.#prepare(rows), { seconds: LEASE_SECONDS })
      for (const email of emails.values()) {
        // In the order in which the email names them, which is the order in which it is told: claimed rows come in any.
        const own = rows.filter(({ emailId }) => emailId === email.id).sort((a, b) => a.position - b.position)
        unassigned -= own.length
        this.#keep(this.#deliver(email, own, objections))
      }
    } catch (error) {
      this.#log.error({ error }, 'claimed mail could not be prepared; it comes back when its lease ends')
    } finally {
      this.#rowsInHand -= unassigned
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

  async #deliver(email: LoadedEmail, rows: readonly Claimed[], objections: Objections) {
    try {
      const result = await this.#attempt(email, rows, objections)
      await patiently(() => this.#settler.settle(result), { seconds: LEASE_SECONDS })
    } catch (error) {
      this.#log.error({ error, email: email.id }, 'an email could not be settled; it comes back when its lease ends')
    } finally {
      this.#rowsInHand -= rows.length
      if (this.#starving !== null && this.#hasRoomFor(this.#starving)) this.#loop.wake()
    }
  }

  /** Transports do not throw for what the other side does, so this was a fault of ours: the mail is not to blame, and not lost. */
  async #attempt(email: LoadedEmail, rows: readonly Claimed[], objections: Objections): Promise<Result> {
    try {
      return await deliver(email, rows, { objections, transport: this.#transport })
    } catch (error) {
      this.#log.error({ error, email: email.id }, 'an email could not be sent')
      return { email, verdicts: rows.map((row) => ({ row, verdict: untried(error) })) }
    }
  }

  #keep(work: Promise<void>) {
    this.#inHand.add(work)
    work.finally(() => this.#inHand.delete(work))
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

  async #takeOver() {
    const gone = await this.#deadNodes.look(this.#db)
    if (gone.length === 0) return
    const released = await releaseHeldBy(this.#db, gone, this.#clock.now())
    this.#log.warn({ deliveries: released }, 'took over mail of a process that is gone')
    this.#loop.wake()
  }

  async #quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#log.warn({ error }, 'the delivery worker could not reach the database')
      return undefined
    }
  }
}
