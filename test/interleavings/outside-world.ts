import { WITHDRAWN } from '../../src/adapters/smtp-client/attempt.ts'
import type { NewEmail } from '../../src/features/emails/delivery/acceptance/accept.ts'
import type { Outgoing, Transport } from '../../src/features/emails/delivery/deliver.ts'
import type { Claimed } from '../../src/features/emails/delivery/ledger/queries.ts'
import type { Verdict } from '../../src/features/emails/delivery/outcomes/verdict.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { DEFERRED, DELIVERED, NO_SUCH_USER } from '../harness/transport.ts'
import type { Barriers } from './barriers.ts'
import type { DeliveringNode } from './node.ts'
import type { Sessions } from './sessions.ts'

/** What the mail server does with a message, or that its answer gets lost after the message was taken. */
export type ServerOutcome = 'taken' | 'refused' | 'deferred' | 'lost'

const ANSWERS = {
  taken: DELIVERED,
  refused: NO_SUCH_USER,
  deferred: DEFERRED,
  // What the SMTP client makes of a connection that breaks after the end of the message.
  lost: { kind: 'deferred', reply: '451 4.4.2 Connection lost', isThrottled: false },
} as const satisfies Record<ServerOutcome, Verdict>

/** An email as its sender knows it. */
export interface SentEmail {
  readonly email: NewEmail
  /** Of its attempts, one after the other; then all are taken. */
  readonly outcomes: ServerOutcome[]
  /** Its sender was told that it is accepted. */
  isAcknowledged: boolean
  /** Its sender was told that it is canceled. */
  isCanceled: boolean
  /** Somebody has tried to, and may have done it. */
  mayBeCanceled: boolean
  mayBeDeleted: boolean
}

interface Copy extends Pick<Claimed, 'emailId' | 'position' | 'holder' | 'claims'> {
  /** Nobody will write down that it was taken. */
  isLost: boolean
}

const NEVER = new Promise<never>(() => {})

/** Senders, and a mail server that speaks nothing: remembers what was promised and which messages have ended, and complains. */
export class OutsideWorld {
  readonly emails = new Map<string, SentEmail>()
  readonly copies: Copy[] = []
  /** What must not happen, and has. */
  readonly violations: string[] = []
  readonly seen = { straightThrough: 0, loaded: 0, secondCopies: 0, lostAnswers: 0, withdrawn: 0 }
  readonly #sessions: Sessions
  readonly #barriers: Barriers

  constructor(sessions: Sessions, barriers: Barriers) {
    this.#sessions = sessions
    this.#barriers = barriers
  }

  readonly transportOf = (node: DeliveringNode): Transport => ({
    send: (outgoing, tell) => this.#converse(node, outgoing, tell),
    close: async () => {},
  })

  /** These answers will not be written down by the claims that have heard them: the claims end. */
  async loseAnswersOf(node: number) {
    const own = this.copies.filter(({ holder, isLost }) => holder === node && !isLost)
    for (const copy of own) {
      if (!(await this.#isHeld(copy))) continue
      copy.isLost = true
      this.seen.lostAnswers++
    }
  }

  /** The fence is asked where the SMTP client asks it. */
  async #converse(node: DeliveringNode, outgoing: Outgoing, tell: Parameters<Transport['send']>[1]) {
    const { email, recipients, fence } = outgoing
    const name = `${node.name}: message ${this.#nameOf(email.id)}`
    const rows = recipients.map((recipient) => outgoing.rowOf(recipient) as Claimed)
    const answer = (outcome: Verdict) =>
      tell(recipients.map((recipient) => ({ recipient, verdict: outcome as typeof DELIVERED })))
    const withdraw = () => {
      this.seen.withdrawn++
      answer(WITHDRAWN)
    }
    this.seen[email.content ? 'straightThrough' : 'loaded']++
    await this.#barriers.pass(`${name} connects`)
    if (node.isDead) return NEVER
    if (!(await fence.mayBegin())) return withdraw()
    if (node.isDead) return NEVER
    await this.#requireHeld(rows, 'begun')
    await this.#barriers.pass(`${name} ends`)
    if (node.isDead) return NEVER
    if (!fence.isOurs()) return withdraw()
    const outcome = this.emails.get(email.id)!.outcomes.shift() ?? 'taken'
    await this.#requireHeld(rows, 'ended')
    if (outcome === 'taken' || outcome === 'lost') for (const row of rows) this.#take(row, outcome === 'lost')
    await this.#barriers.pass(`${name} is answered`)
    if (node.isDead) return NEVER
    answer(ANSWERS[outcome])
  }

  #take({ emailId, position, holder, claims }: Claimed, isLost: boolean) {
    const before = this.copies.filter((copy) => copy.emailId === emailId && copy.position === position)
    if (before.some((copy) => !copy.isLost))
      this.violations.push(`A second copy of ${this.#nameOf(emailId)}, and no answer was lost`)
    if (before.length > 0) this.seen.secondCopies++
    if (this.emails.get(emailId)!.isCanceled) this.violations.push(`${this.#nameOf(emailId)} was canceled, and is sent`)
    this.copies.push({ emailId, position, holder, claims, isLost })
  }

  async #requireHeld(rows: readonly Claimed[], what: string) {
    for (const row of rows) {
      if (this.emails.get(row.emailId)!.mayBeDeleted || (await this.#isHeld(row))) continue
      this.violations.push(
        `The message of ${this.#nameOf(row.emailId)} is ${what} by ${row.holder}, which does not hold it`,
      )
    }
  }

  async #isHeld({ emailId, position, holder, claims }: Omit<Copy, 'isLost'>): Promise<boolean> {
    const { rows } = await this.#sessions.query(sql`
      select from deliveries where email_id = ${emailId} and position = ${position} and state = 'waiting'
        and holder is not distinct from ${holder} and claims = ${claims}`)
    return rows.length > 0
  }

  readonly #nameOf = (id: string) => `email ${[...this.emails.keys()].indexOf(id) + 1}`
}
