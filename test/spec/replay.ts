import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { WITHDRAWN } from '../../src/adapters/smtp-client/attempt.ts'
import { Acceptance, type NewEmail } from '../../src/features/emails/delivery/acceptance/accept.ts'
import type { HandOver } from '../../src/features/emails/delivery/acceptance/straight-through.ts'
import { heldRows } from '../../src/features/emails/delivery/hand-overs.ts'
import {
  type Claimed,
  claimDue,
  releaseHeldBy,
  releaseUnknown,
} from '../../src/features/emails/delivery/ledger/queries.ts'
import { Settler } from '../../src/features/emails/delivery/outcomes/settle.ts'
import type { Verdict } from '../../src/features/emails/delivery/outcomes/verdict.ts'
import { SendingFence } from '../../src/features/emails/delivery/transport/fence.ts'
import { TeamStates } from '../../src/features/limits/team-states.ts'
import type { Database, Queryable } from '../../src/kernel/db/database.ts'
import { expireNode, insertNode, type Node, raiseHeartbeat } from '../../src/kernel/db/nodes.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { TakeOver } from '../../src/kernel/db/take-over.ts'
import { DatabaseAway, mayHaveCommitted } from '../../src/platform/database-errors.ts'
import { type FixedClock, fixedClock } from '../harness/clock.ts'
import { newEmail } from '../harness/new-email.ts'
import { DEFERRED, DELIVERED, NO_SUCH_USER } from '../harness/transport.ts'
import type { ModelOutcome, ModelRow, Trace, TraceStep } from './traces.ts'

const VERDICTS: Record<ModelOutcome, Verdict> = {
  Taken: DELIVERED,
  Refused: NO_SUCH_USER,
  Deferred: DEFERRED,
  // What the SMTP client makes of a connection that breaks after the end of the message.
  Unknown: { kind: 'deferred', reply: '451 4.4.2 Connection lost', isThrottled: false },
  Untried: WITHDRAWN,
}

const ADVERTISED = { channel: '', works: [], watches: [], secretKeys: [], connections: null }

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

interface ReplayParts {
  readonly db: Database
  /** With no other email that is due in the minutes to come. */
  readonly team: string
  readonly startAt: Date
}

const LANES = 4
/** Longer than the steps of a trace, a millisecond each, and shorter than any retry. */
const LANE_MS = 1_000

/** Replays traces beside each other. No two of their rows are due at the same moment, so each can claim its own. */
export async function replayAll(traces: readonly Trace[], { db, teams }: { db: Database; teams: readonly string[] }) {
  const left = traces.entries()
  const lane = async (team: string, index: number) => {
    const startAt = new Date(Date.now() + index * LANE_MS)
    for (const [number, trace] of left)
      await new Replay({ db, team, startAt }).run(trace).catch((error) => {
        error.message = `trace ${number}: ${error.message}`
        throw error
      })
  }
  expect(teams).toHaveLength(LANES)
  const ended = await Promise.allSettled(teams.map(lane))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}

/** The teams that lanes are for. */
export const LANE_TEAMS = Array.from({ length: LANES }, (_, lane) => `lane-${lane}`)

/** Replays traces of the model on the statements of the ledger, the nodes and the take-over, one step after the other. */
class Replay {
  readonly #db: Database
  readonly #clock: FixedClock
  readonly #team: string
  readonly #acceptance: Acceptance
  readonly #settler: Settler
  /** Numbers of the model are this much smaller. */
  readonly #offset = randomInt(1, 2 ** 30)
  readonly #processes = new Map<number, ReplayedProcess>()
  readonly #emails = new Map<number, NewEmail>()
  /** When each email is due, as the tables showed it last. */
  readonly #dueAt = new Map<number, Date>()
  /** The heartbeats that the others see, by number. */
  readonly #beats = new Map<number, number>()

  constructor({ db, team, startAt }: ReplayParts) {
    this.#db = db
    this.#clock = fixedClock(startAt)
    this.#team = team
    this.#acceptance = new Acceptance(db, new TeamStates(db))
    this.#settler = new Settler(db, this.#clock)
  }

  /** Throws at the first step after which the tables are not as the model says. */
  async run(trace: Trace) {
    for (const process of [1, 2, 3]) await this.#start(process, process)
    for (const [index, step] of trace.entries()) {
      // Each step has a moment of its own: so has what is due.
      this.#clock.advance(0.001)
      const isStatement = await this.#take(step)
      if (!isStatement) continue
      const tables = await this.#tables()
      if (!isDeepStrictEqual(tables, tablesOf(step)))
        expect(tables, told(trace.slice(0, index + 1))).toEqual(tablesOf(step))
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
      case 'acceptHeldUnanswered':
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
        await this.#expire(this.#nodeOf(step.node))
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
    this.#dueAt.set(row, email.createdAt)
    return email
  }

  /** Straight through: the accepting statement writes the row as held by the process, which goes on with it from memory if it was answered. */
  async #acceptHeld(process: ReplayedProcess, step: TraceStep) {
    const email = this.#newEmail(step.row)
    const { node } = process
    const isAnswered = step.name === 'acceptHeld'
    const ends: string[] = []
    const handOver: HandOver = {
      ...{ node, isForAll: true, has: () => true },
      committed: () => void ends.push('committed'),
      failed: (error) => void ends.push(mayHaveCommitted(error) ? 'uncertain' : 'failed'),
    }
    const acceptance = isAnswered ? this.#acceptance : new Acceptance(unanswering(this.#db), new TeamStates(this.#db))
    acceptance.deliverThrough({ reserve: () => handOver })
    await acceptance.accept({ emails: [email], idempotency: null }).catch((error) => {
      if (isAnswered) throw error
    })
    acceptance.deliverThrough({ reserve: () => null })
    expect(ends).toEqual([isAnswered ? 'committed' : 'uncertain'])
    if (isAnswered) this.#keep(process, heldRows(email, node)[0]!)
  }

  /** What is due at exactly this moment: the row of the step, since no other is. */
  async #claim(db: Queryable, process: ReplayedProcess, { row }: TraceStep): Promise<Claimed> {
    const dueAt = this.#dueAt.get(row)!
    const of = [{ priority: 0, limit: 10, since: dueAt }]
    const claimed = await claimDue(db, { node: process.node, now: dueAt, of })
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
    const own = seen.find(({ id }) => id === process.node)
    expect(own !== undefined).toBe(step.name === 'renew')
    if (own) this.#beats.set(own.id, own.beat)
    else await this.#enter(process, step.node)
    process.hasLease = true
  }

  async #start(process: number, node: number) {
    const started = new ReplayedProcess(this.#nodeOf(node))
    await this.#enter(started, node)
    this.#processes.set(process, started)
  }

  async #enter(process: ReplayedProcess, node: number) {
    process.node = this.#nodeOf(node)
    this.#beats.set(process.node, 0)
    await this.#db.query(insertNode(process.node, ADVERTISED, this.#clock.now()))
  }

  /** With the heartbeat that was seen to stand still. */
  async #expire(node: number) {
    await this.#db.query(expireNode(node, this.#beats.get(node)!))
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
    const [tables] = await this.#db.query<{
      rows: (ModelRow & { id: string; dueAt: string })[] | null
      nodes: number[] | null
    }>(sql`
      select
        (select json_agg(json_build_object(
            'id', email_id, 'state', state, 'holder', holder, 'claims', claims, 'attempts', attempts, 'dueAt', due_at))
          from deliveries where team_id = ${this.#team} and email_id = any (${this.#emailIds()}::uuid[])) as rows,
        (select array_agg(id order by id) from nodes where id between ${this.#offset + 1} and ${this.#offset + 1_000}) as nodes`)
    const { rows, nodes } = tables!
    const ledger: Record<string, ModelRow> = {}
    for (const [row, { id }] of this.#emails) {
      const found = rows?.find((one) => one.id === id)
      if (!found) continue
      const { state, holder, claims, attempts, dueAt } = found
      this.#dueAt.set(row, new Date(dueAt))
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

/** What has led to a state, in a line. */
const told = (trace: Trace) =>
  trace.map(({ name, process, row, node }) => `${name}(${process}, ${row}, ${node})`).join(' → ')

/** Executes statements, and loses their answers. */
function unanswering(db: Database): Database {
  const queryPooled: Database['queryPooled'] = async (statement) => {
    await db.queryPooled(statement)
    throw new DatabaseAway('The connection is lost.')
  }
  return Object.assign(db.withClock(db.clock), { queryPooled })
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
