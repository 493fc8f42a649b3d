import { setTimeout as wait } from 'node:timers/promises'
import type { Presence } from '../../../kernel/db/presence.ts'
import type { WorkerShell } from '../../../kernel/db/worker-shell.ts'
import type { TeamStates } from '../../limits/team-states.ts'
import type { NewEmail } from './acceptance/accept.ts'
import type { NewCopy } from './acceptance/accept-copies.ts'
import type { HandOver, StraightThrough, StraightThroughCopies } from './acceptance/straight-through.ts'
import { acceptedCopy, acceptedEmail } from './ledger/accepted-email.ts'
import type { Claims } from './ledger/claims.ts'
import type { LoadedEmail } from './ledger/load.ts'
import type { Claimed, Suppressed } from './ledger/queries.ts'
import type { LoadedBroadcast } from './message/broadcasts.ts'
import { DEFAULT_RETRY, giveUpAfter } from './outcomes/retry.ts'

/** Content in memory of emails that went straight through and are in flight. A string can take twice as much as its text. */
const MAX_BYTES = 16 * 1024 * 1024
/** Of copies of broadcasts: what one person waits for has memory left. */
const MAX_COPY_BYTES = MAX_BYTES / 2
/** As long as what others take their time with counts as what keeps this process busy. */
const MAX_WAIT_MS = 5_000
const POLL_MS = 20
/** Where other processes make copies as well: another one may have free slots. */
const MAX_SHARED_WAIT_MS = 60

interface Parts {
  readonly shell: WorkerShell<Claimed>
  readonly claims: Claims
  readonly presence: Presence
  readonly teamStates: Pick<TeamStates, 'suspensionOf' | 'holds'>
  readonly giveUpAfterSeconds: number
  /** Delivers rows that are in flight, and removes them. */
  work(rows: readonly Claimed[], found: AcceptedEmails): Promise<void>
}

/** What is known of rows that this process has just written. */
export interface AcceptedEmails {
  readonly emails: ReadonlyMap<string, LoadedEmail>
  readonly suppressed: readonly Suppressed[]
}

interface Reserved {
  readonly email: LoadedEmail
  readonly rows: readonly Claimed[]
}

/** What both kinds of emails have that are handed over. */
type Accepted = Pick<NewEmail, 'team' | 'id' | 'recipients' | 'createdAt'>

/** How emails of one priority are taken: as far as there are slots, each as loading it would give it, or not at all (null). */
interface Taking<Item> {
  readonly priority: 0 | 1
  readonly slots: number
  loaded(item: Item): LoadedEmail | null
}

/** Takes emails that this process accepts, as far as the delivery has room and nothing waits that they would overtake. */
export class HandOvers implements StraightThrough, StraightThroughCopies {
  readonly #parts: Parts
  /** Rows in flight that were handed over, and what they have in memory. */
  readonly #rows = new Map<Claimed, { readonly bytes: number; readonly priority: 0 | 1 }>()
  /** How many there are of each priority. */
  readonly #counts: [number, number] = [0, 0]
  #bytes = 0
  /** Since when there were no slots for copies, as far as anybody asked; null: there were. */
  #withoutSlotsSince: number | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  reserve(emails: readonly NewEmail[]): HandOver | null {
    return this.#reserve(emails, {
      priority: 0,
      slots: this.#parts.claims.newRowsBeside(this.#counts[0]),
      loaded: (email) => (this.#isSuspended(email.team) || this.#isHeld(email) ? null : acceptedEmail(email)),
    })
  }

  reserveCopies(copies: readonly NewCopy[], broadcast: LoadedBroadcast): HandOver<NewCopy> | null {
    if (this.#isSuspended(broadcast.team)) return null
    return this.#reserve(copies, {
      priority: 1,
      slots: this.#parts.claims.newCopiesBeside(this.#counts[1]),
      loaded: (copy) => (this.#isHeld(copy) ? null : acceptedCopy(copy, broadcast)),
    })
  }

  /** Where other processes deliver, and make no copies, nobody waits: what is in the ledger is for all of them. */
  async slotsForCopies(signal: AbortSignal): Promise<number | null> {
    const { claims } = this.#parts
    const begin = performance.now()
    while (claims.canHoldNew && !signal.aborted) {
      const isShared = claims.sharesExpansions
      if (claims.hasPeers && !isShared) return null
      const slots = this.#slotsForBatch()
      if (slots > 0) return slots
      const waitedMs = performance.now() - begin
      if (isShared ? this.#isWithoutSlotsForLong() : waitedMs >= MAX_WAIT_MS) {
        this.#withoutSlotsSince = null
        return null
      }
      if (isShared && waitedMs >= MAX_SHARED_WAIT_MS) return 0
      await wait(POLL_MS)
    }
    return null
  }

  get mayExpand(): boolean {
    const { claims } = this.#parts
    if (!claims.canHoldNew || !claims.sharesExpansions) return true
    return this.#slotsForBatch() > 0 || this.#isWithoutSlotsForLong()
  }

  /** Free slots, if they are worth a batch of copies. */
  #slotsForBatch(): number {
    const { claims } = this.#parts
    const slots = claims.newCopiesBeside(this.#counts[1])
    const isEnough = slots >= claims.minCopies
    if (isEnough) this.#withoutSlotsSince = null
    else this.#withoutSlotsSince ??= performance.now()
    return isEnough ? slots : 0
  }

  /** Then the next batch is for the ledger. */
  #isWithoutSlotsForLong(): boolean {
    return this.#withoutSlotsSince !== null && performance.now() - this.#withoutSlotsSince >= MAX_WAIT_MS
  }

  /** Rows are not in flight any more. */
  removed(rows: Iterable<Claimed>) {
    for (const row of rows) {
      const known = this.#rows.get(row)
      if (!known) continue
      this.#bytes -= known.bytes
      this.#counts[known.priority]--
      this.#rows.delete(row)
    }
  }

  #reserve<Item extends Accepted>(items: readonly Item[], taking: Taking<Item>): HandOver<Item> | null {
    const { claims, presence } = this.#parts
    const { node } = presence
    const { priority } = taking
    const reserved = new Map<Item, Reserved>()
    const maxBytes = priority === 0 ? MAX_BYTES : MAX_COPY_BYTES
    let { slots } = taking
    for (const item of items) {
      if (slots <= 0) {
        claims.passOver(priority)
        break
      }
      const email = taking.loaded(item)
      if (!email) continue
      const { sizes } = email
      const bytes = sizes.head + sizes.html + sizes.text + sizes.variables
      if (item.recipients.length > slots || this.#bytes + bytes > maxBytes) {
        claims.passOver(priority)
        break
      }
      slots -= item.recipients.length
      const rows = heldRows(item, node, this.#parts.giveUpAfterSeconds)
      for (const row of rows) this.#rows.set(row, { bytes: bytes / rows.length, priority })
      this.#counts[priority] += rows.length
      this.#bytes += bytes
      reserved.set(item, { email, rows })
    }
    return reserved.size > 0 ? this.#handOver(items.length, node, reserved) : null
  }

  #handOver<Item>(count: number, node: number, reserved: ReadonlyMap<Item, Reserved>): HandOver<Item> {
    const rows = this.#parts.shell.holdNew([...reserved.values()].flatMap((one) => one.rows))
    return {
      node,
      isForAll: reserved.size === count,
      has: (email) => reserved.has(email),
      committed: ({ emails, suppressed }) => {
        const written = new Set(emails)
        const own = [...reserved].filter(([email]) => written.has(email)).map(([, one]) => one)
        const found = { emails: new Map(own.map(({ email }) => [email.id, email])), suppressed }
        rows.committed(
          own.flatMap((one) => one.rows),
          (held) => this.#parts.work(held, found),
        )
      },
      failed: (error) => rows.failed(error),
    }
  }

  #isHeld({ team, from, tags, recipients }: Pick<NewEmail, 'team' | 'from' | 'tags' | 'recipients'>): boolean {
    const { holds } = this.#parts.teamStates
    return !holds.isEmpty && recipients.some((recipient) => holds.find({ team, from, tags, recipient }) !== null)
  }

  #isSuspended = (team: string) => this.#parts.teamStates.suspensionOf(team) !== null
}

/** As the accepting statement writes them: see `insertAccepted`. */
export const heldRows = (
  { team, id, recipients, createdAt }: Accepted,
  node: number,
  giveUpAfterSeconds = DEFAULT_RETRY.giveUpAfterSeconds,
): Claimed[] =>
  recipients.map((recipient, position) => ({
    team,
    emailId: id,
    position,
    recipient,
    attempts: 1,
    isUnanswered: true,
    holder: node,
    claims: 1,
    dueAt: createdAt,
    giveUpAt: giveUpAfter(createdAt, giveUpAfterSeconds),
    parkedFor: null,
    destination: null,
  }))
