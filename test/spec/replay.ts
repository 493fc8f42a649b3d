import { randomInt } from 'node:crypto'
import { expect } from 'vitest'
import { Acceptance, acceptEmails, type NewEmail } from '../../src/features/emails/delivery/acceptance/accept.ts'
import { type Claimed, claimDue, releaseHeldBy, releaseUnknown } from '../../src/features/emails/delivery/ledger/queries.ts'
import { Settler } from '../../src/features/emails/delivery/outcomes/settle.ts'
import type { Verdict } from '../../src/features/emails/delivery/outcomes/verdict.ts'
import { SendingFence } from '../../src/features/emails/delivery/transport/fence.ts'
import { TeamStates } from '../../src/features/limits/team-states.ts'
import type { Database, Queryable } from '../../src/kernel/db/database.ts'
import { expireNode, insertNode, type Node, raiseHeartbeat } from '../../src/kernel/db/nodes.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { TakeOver } from '../../src/kernel/db/take-over.ts'
import type { FixedClock } from '../harness/clock.ts'
import { newEmail } from '../harness/new-email.ts'
import { DEFERRED, DELIVERED, NO_SUCH_USER } from '../harness/transport.ts'
import type { ModelOutcome, ModelRow, Trace, TraceStep } from './traces.ts'

const VERDICTS: Record<ModelOutcome, Verdict> = {
  Taken: DELIVERED,
  Refused: NO_SUCH_USER,
  Deferred: DEFERRED,
  // What the SMTP client makes of a connection that breaks after the end of the message.
  Unknown: { kind: 'deferred', reply: '451 4.4.2 Connection lost', isThrottled: false },
  // The row keeps its time.
  Untried: { kind: 'postponed', seconds: 0 },
}

const ADVERTISED = { channel: '', works: [], watches: [] }

/** What a process has in memory: a crash ends it. */
class ReplayedProcess {
  hasLease = true
  node: number
  /** By claim. */
  readonly flights = new Map<string, Claimed>()
  readonly #fence = new SendingFence(this)

  constructor(node: number) {
    this.node = node
  }

  /** As `Presence` answers; there the lease ends by itself after 4 s, here when the model says so. */
  holdsLease(node = this.node): boolean {
    return node === this.node && this.hasLease
  }

  fenceOf({ holder }: Claimed) {
    return this.#fence.for(holder)
  }
}

/** Replays traces of the model on the statements of the ledger, the nodes and the take-over, one step after the other. */
export class Replay {
  readonly #db: Database
  readonly #clock: FixedClock
  readonly #team: string
  readonly #acceptance: Acceptance
  readonly #settler: Settler
  /** Numbers of the model are this much smaller. */
  readonly #offset = randomInt(1, 2 ** 30)
  readonly #processes = new Map<number, ReplayedProcess>()
  readonly #emails = new Map<number, NewEmail>()

  constructor({ db, clock, team }: { db: Database; clock: FixedClock; team: string }) {
    this.#db = db
    this.#clock = clock
    this.#team = team
    this.#acceptance = new Acceptance(db, new TeamStates(db))
    this.#settler = new Settler(db, clock)
  }

  /** Throws at the first step after which the tables are not as the model says. */
  async run(trace: Trace) {
    for (const process of [1, 2, 3]) await this.#start(process, process)
    for (const [index, step] of trace.entries()) {
      // Each step has a moment of its own: so has what is due.
      this.#clock.advance(0.001)
      const isStatement = await this.#take(step)
      if (!isStatement) continue
      const told = trace.slice(0, index + 1).map(({ name, process, row, node }) => `${name}(${process}, ${row}, ${node})`)
      expect(await this.#tables(), told.join(' → ')).toEqual(tablesOf(step))
    }
    await this.#checkEvents(trace.at(-1)!.ledger)
    await this.#clear()
  }

  /** Takes a step, and tells whether it has asked the database for anything. */
  async #take(step: TraceStep): Promise<boolean> {
    const process = this.#processes.get(step.process)!
    switch (step.name) {
      case 'accept':
        await this.#acceptance.accept({ emails: [this.#newEmail(step.row)], idempotency: null })
        return true
      case 'acceptHeld':
        await this.#acceptHeld(process, step)
        return true
      case 'claim':
        this.#keep(process, await this.#claim(this.#db, process, step))
        return true
      case 'claimUnanswered':
        await this.#claim(this.#db, process, step)
        return true
      case 'releaseUnknown':
        await releaseUnknown(this.#db, process.node, process.flights.values())
        return true
      case 'settle':
      case 'settleUnanswered':
        await this.#settle(process, step)
        return true
      case 'renew':
      case 'rejoin':
        await this.#heartbeat(process, step)
        return true
      case 'start':
        await this.#start(step.process, step.node)
        return true
      case 'expire':
        await this.#expire(process, this.#nodeOf(step.node))
        return true
      case 'takeOver':
        await this.#takeOver()
        return true
      default:
        await this.#takeInMemory(process, step)
        return false
    }
  }

  async #takeInMemory(process: ReplayedProcess, step: TraceStep) {
    switch (step.name) {
      case 'begin':
        expect(await process.fenceOf(this.#flight(process, step)).mayBegin()).toBe(true)
        return
      case 'end':
        expect(process.fenceOf(this.#flight(process, step)).isOurs()).toBe(true)
        return
      case 'giveUp': {
        const flight = this.#flight(process, step)
        if (flight.holder === process.node) return
        expect(await process.fenceOf(flight).mayBegin()).toBe(false)
        expect(process.fenceOf(flight).isOurs()).toBe(false)
        return
      }
      case 'lapse':
        process.hasLease = false
        return
      case 'crash':
        this.#processes.delete(step.process)
        return
      case 'acknowledge':
      case 'hear':
      case 'loseAnswer':
        return
      default:
        throw new Error(`The replay does not know the action ${step.name}`)
    }
  }

  #newEmail(row: number): NewEmail {
    const recipient = `recipient-${row}@example.com`
    const email = newEmail(this.#team, { to: [recipient], recipients: [recipient], createdAt: this.#clock.now() })
    this.#emails.set(row, email)
    return email
  }

  /** Nobody sees the row as anybody's but the process's that accepts it. */
  async #acceptHeld(process: ReplayedProcess, step: TraceStep) {
    const email = this.#newEmail(step.row)
    await this.#db.transaction(async (trx) => {
      await acceptEmails(trx, [email])
      this.#keep(process, await this.#claim(trx, process, step))
    })
  }

  /** What is due at exactly this moment: the row of the step, since no other is. */
  async #claim(db: Queryable, process: ReplayedProcess, { row }: TraceStep): Promise<Claimed> {
    const [due] = await db.query<{ dueAt: Date }>(sql`
      select due_at as "dueAt" from deliveries where team_id = ${this.#team} and email_id = ${this.#emails.get(row)!.id}`)
    const of = [{ priority: 0, limit: 10, since: due!.dueAt }]
    const claimed = await claimDue(db, { node: process.node, now: due!.dueAt, of })
    expect(claimed.map(({ emailId }) => emailId)).toEqual([this.#emails.get(row)!.id])
    return claimed[0]!
  }

  #keep(process: ReplayedProcess, claimed: Claimed) {
    process.flights.set(keyOf(claimed.emailId, claimed.holder, claimed.claims), claimed)
  }

  #flight(process: ReplayedProcess, { row, node, claims }: TraceStep): Claimed {
    return process.flights.get(keyOf(this.#emails.get(row)!.id, this.#nodeOf(node), claims))!
  }

  async #settle(process: ReplayedProcess, step: TraceStep) {
    const row = this.#flight(process, step)
    const email = this.#emails.get(step.row)!
    await this.#settler.settle({ email, verdicts: [{ row, verdict: VERDICTS[step.outcome] }] })
    if (step.name === 'settle') process.flights.delete(keyOf(row.emailId, row.holder, row.claims))
  }

  /** Who does not find its own row was called dead, and comes back under another number. */
  async #heartbeat(process: ReplayedProcess, step: TraceStep) {
    const seen = await this.#db.query<Node>(raiseHeartbeat(process.node))
    const isThere = seen.some(({ id }) => id === process.node)
    expect(isThere).toBe(step.name === 'renew')
    if (!isThere) await this.#enter(process, step.node)
    process.hasLease = true
  }

  async #start(process: number, node: number) {
    const started = new ReplayedProcess(this.#nodeOf(node))
    await this.#enter(started, node)
    this.#processes.set(process, started)
  }

  async #enter(process: ReplayedProcess, node: number) {
    process.node = this.#nodeOf(node)
    await this.#db.query(insertNode(process.node, ADVERTISED, this.#clock.now()))
  }

  /** With the heartbeat that the expiring node has seen. */
  async #expire(process: ReplayedProcess, node: number) {
    const seen = await this.#db.query<Node>(raiseHeartbeat(process.node))
    await this.#db.query(expireNode(node, seen.find(({ id }) => id === node)!.beat))
  }

  /** As a worker does when it starts, and every minute. Rows of other traces are none of its business. */
  async #takeOver() {
    const ids = this.#emailIds()
    let looked: Promise<unknown> = Promise.resolve()
    const takeOver = new TakeOver({
      db: this.#db,
      holders: sql`
        select holder from deliveries where holder is not null and team_id = ${this.#team} and email_id = any (${ids}::uuid[])`,
      release: async (nodes) => {
        await releaseHeldBy(this.#db, nodes)
      },
      logErrors: (work) => {
        looked = work()
        return looked
      },
    })
    takeOver.start()
    takeOver.stop()
    await looked
  }

  async #tables() {
    const [tables] = await this.#db.query<{ rows: (ModelRow & { id: string })[] | null; nodes: number[] | null }>(sql`
      select
        (select json_agg(json_build_object('id', email_id, 'state', state, 'holder', holder, 'claims', claims, 'attempts', attempts))
          from deliveries where team_id = ${this.#team} and email_id = any (${this.#emailIds()}::uuid[])) as rows,
        (select array_agg(id order by id) from nodes where id between ${this.#offset + 1} and ${this.#offset + 1_000}) as nodes`)
    const { rows, nodes } = tables!
    const ledger: Record<string, ModelRow> = {}
    for (const [row, { id }] of this.#emails) {
      const found = rows?.find((one) => one.id === id)
      if (!found) continue
      const { state, holder, claims, attempts } = found
      ledger[row] = { state, holder: holder && holder - this.#offset, claims, attempts }
    }
    return { ledger, nodes: (nodes ?? []).map((node) => node - this.#offset) }
  }

  /** An event is there once if its row is settled so, however often somebody tried to. */
  async #checkEvents(ledger: TraceStep['ledger']) {
    const events = await this.#db.query<{ about: string; type: string }>(sql`
      select about, type from outbox where team_id = ${this.#team} and about = any (${this.#emailIds()}::uuid[])
        and type in ('email.delivered', 'email.bounced')`)
    for (const [row, { id }] of this.#emails) {
      const { state } = ledger[row]!
      const types = events.filter(({ about }) => about === id).map(({ type }) => type)
      expect(types).toEqual(state === 'waiting' ? [] : [`email.${state}`])
    }
  }

  async #clear() {
    await this.#db.query(sql`
      delete from emails where team_id = ${this.#team} and id = any (${this.#emailIds()}::uuid[])`)
    await this.#db.query(sql`delete from nodes where id between ${this.#offset + 1} and ${this.#offset + 1_000}`)
  }

  readonly #nodeOf = (node: number) => this.#offset + node
  readonly #emailIds = () => [...this.#emails.values()].map(({ id }) => id)
}

const keyOf = (emailId: string, node: number, claims: number) => `${emailId} ${node} ${claims}`

/** As the tables show it: a holder of nobody is null, and what was not accepted has no row. */
function tablesOf({ ledger, nodes }: TraceStep) {
  const rows = Object.entries(ledger).filter(([, { state }]) => state !== 'absent')
  return {
    ledger: Object.fromEntries(rows.map(([row, { holder, ...rest }]) => [row, { ...rest, holder: holder || null }])),
    nodes: [...nodes].sort((a, b) => a - b),
  }
}
