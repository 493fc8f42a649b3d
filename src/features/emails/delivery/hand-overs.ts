import type { Presence } from '../../../kernel/db/presence.ts'
import type { WorkerShell } from '../../../kernel/db/worker-shell.ts'
import { mayHaveCommitted } from '../../../platform/database-errors.ts'
import type { TeamStates } from '../../limits/team-states.ts'
import type { NewEmail } from './acceptance/accept.ts'
import type { HandOver, StraightThrough } from './acceptance/straight-through.ts'
import { acceptedEmail } from './ledger/accepted-email.ts'
import type { Claims } from './ledger/claims.ts'
import type { LoadedEmail } from './ledger/load.ts'
import type { Claimed, Suppressed } from './ledger/queries.ts'
import { giveUpAfter } from './outcomes/retry.ts'

/** Content in memory of emails that went straight through and are in flight. A string can take twice as much as its text. */
const MAX_BYTES = 16 * 1024 * 1024

interface Parts {
  readonly shell: WorkerShell<Claimed>
  readonly claims: Claims
  readonly presence: Presence
  readonly teamStates: Pick<TeamStates, 'suspensionOf'>
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

/** Takes emails that this process accepts, as far as the delivery has room and nothing waits that they would overtake. */
export class HandOvers implements StraightThrough {
  readonly #parts: Parts
  /** Rows in flight that were handed over, and what they have in memory. */
  readonly #rows = new Map<Claimed, number>()
  #bytes = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  reserve(emails: readonly NewEmail[]): HandOver | null {
    const { shell, claims, presence } = this.#parts
    const { node } = presence
    const reserved = new Map<NewEmail, Reserved>()
    let slots = claims.newRowsBeside(this.#rows.size)
    for (const email of emails) {
      if (slots <= 0) {
        claims.passOver()
        break
      }
      const loaded = this.#isSuspended(email) ? null : acceptedEmail(email)
      if (!loaded) continue
      const { sizes } = loaded
      const bytes = sizes.head + sizes.html + sizes.text
      if (email.recipients.length > slots || this.#bytes + bytes > MAX_BYTES) {
        claims.passOver()
        break
      }
      slots -= email.recipients.length
      const rows = heldRows(email, node)
      // Before the statement is sent: whoever looks for lost claims finds them in flight as soon as they are there.
      shell.inFlight.add(rows)
      for (const row of rows) this.#rows.set(row, bytes / rows.length)
      this.#bytes += bytes
      reserved.set(email, { email: loaded, rows })
    }
    return reserved.size > 0 ? this.#handOver(emails.length, node, reserved) : null
  }

  /** Rows are not in flight any more. */
  removed(rows: Iterable<Claimed>) {
    for (const row of rows) {
      this.#bytes -= this.#rows.get(row) ?? 0
      this.#rows.delete(row)
    }
  }

  #handOver(count: number, node: number, reserved: ReadonlyMap<NewEmail, Reserved>): HandOver {
    const { shell } = this.#parts
    let end = () => {}
    // Whoever stops waits for it, although it may not be written yet.
    shell.track(
      new Promise<void>((resolve) => {
        end = resolve
      }),
    )
    const release = (emails: Iterable<Reserved>) => shell.inFlight.remove([...emails].flatMap(({ rows }) => rows))
    return {
      node,
      isForAll: reserved.size === count,
      has: (email) => reserved.has(email),
      committed: ({ emails, suppressed }) => {
        const written = new Set(emails)
        const own = [...reserved].filter(([email]) => written.has(email)).map(([, one]) => one)
        if (own.length < reserved.size)
          release([...reserved].filter(([email]) => !written.has(email)).map(([, one]) => one))
        const found = { emails: new Map(own.map(({ email }) => [email.id, email])), suppressed }
        const rows = own.flatMap((one) => one.rows)
        void (rows.length > 0 ? this.#parts.work(rows, found) : Promise.resolve()).then(end)
      },
      failed: (error) => {
        release(reserved.values())
        // If it was written, or still will be, its rows are held and not in flight: lost claims.
        if (mayHaveCommitted(error)) shell.markNewUncertain()
        end()
      },
    }
  }

  #isSuspended = ({ team }: NewEmail) => this.#parts.teamStates.suspensionOf(team) !== null
}

/** As the accepting statement writes them: see `insertAccepted`. */
export const heldRows = ({ team, id, recipients, createdAt }: NewEmail, node: number): Claimed[] =>
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
    giveUpAt: giveUpAfter(createdAt),
    parkedFor: null,
  }))
