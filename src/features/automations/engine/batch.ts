import type { Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { parseDuration } from '../../../platform/duration.ts'
import type { Effects } from './effects.ts'
import type { ConnectionType, Graph, Step } from './graph.ts'
import { findGraphs, type HistoryEntry, type Run, writeRuns } from './runs.ts'
import type { ContactValues } from './values.ts'

/** A graph with its steps and connections by key. */
interface IndexedGraph {
  readonly steps: ReadonlyMap<string, Step>
  readonly next: ReadonlyMap<string, string>
  /** Whether one of its steps changes or deletes the contact. */
  readonly changesContact: boolean
}

/** Why a step has failed, for people; `name` is for programs. */
interface StepError {
  readonly message: string
  readonly name?: string
}

/** An email that a step has sent. */
interface SentEmail {
  readonly emailId: string
  readonly automationId: string
  readonly stepKey: string
  readonly depth: number
  readonly isTest: boolean
}

/**
 * What one transaction of the engine knows and has done for a team. Runs are changed in here, and written down together in the end:
 * what a run became and what its steps did commit together or not at all.
 */
export class Batch {
  readonly trx: Transaction
  readonly team: string
  readonly effects: Effects
  /** In the time of the team: when this batch came round to it. What a run does is of the moment of the run. */
  readonly now: Date
  /** Null: there is no such contact any more. */
  readonly contacts = new Map<string, ContactValues | null>()
  readonly runs = new Map<string, Run>()
  readonly #graphs = new Map<string, IndexedGraph>()
  readonly #counts = new Map<string, number>()
  readonly #emails: SentEmail[] = []
  #begun = 0

  constructor(trx: Transaction, team: string, effects: Effects) {
    this.trx = trx
    this.team = team
    this.effects = effects
    this.now = trx.clock.of(team).now()
  }

  /** Something takes the run on. No run goes back in time, whatever the clocks of the nodes say. */
  moveTo(run: Run, moment: Date) {
    run.moment = new Date(Math.max(moment.getTime(), run.enteredAt.getTime()))
  }

  /** So many seconds after the moment of the run, in real time. */
  dueIn(run: Run, seconds: number): Date {
    return this.trx.clock.of(this.team).toReal(new Date(run.moment.getTime() + seconds * 1_000))
  }

  /** When the time of a run has come, exactly: the clock of a sandbox is up to a second further by then. */
  momentDue(run: Run): Date {
    const { type, config } = this.stepOf(run)
    const duration = type === 'delay' ? config.duration : type === 'wait_for_event' ? config.timeout : undefined
    const seconds = duration === undefined ? 0 : parseDuration(duration)!
    return new Date(run.enteredAt.getTime() + seconds * 1_000)
  }

  /** Whether runs that were taken up late are due again already. */
  hasDue(): boolean {
    const now = this.trx.clock.now()
    return [...this.runs.values()].some(({ dueAt }) => dueAt !== null && dueAt <= now)
  }

  async loadGraphs(ids: Iterable<string>) {
    const missing = [...new Set(ids)].filter((id) => !this.#graphs.has(id))
    if (missing.length === 0) return
    for (const [id, graph] of await findGraphs(this.trx, this.team, missing)) this.#graphs.set(id, indexGraph(graph))
  }

  async loadContacts(ids: Iterable<string>) {
    const missing = [...new Set(ids)].filter((id) => !this.contacts.has(id))
    if (missing.length > 0) await this.reloadContacts(missing)
  }

  async reloadContacts(ids: readonly string[]) {
    const found = await this.effects.findContacts(this.trx, this.team, { ids, emails: [] })
    for (const id of ids) this.contacts.set(id, null)
    for (const contact of found) this.contacts.set(contact.id, contact)
  }

  /** Runs that were read before are as they are in here. */
  take(runs: readonly Run[]): Run[] {
    return runs.map((run) => {
      const known = this.runs.get(run.id)
      if (known) return known
      this.runs.set(run.id, run)
      return run
    })
  }

  begin(run: Run) {
    this.runs.set(run.id, run)
    this.#begun++
    this.count(run, run.stepKey!, 'entered')
  }

  /** It fails where it begins, and counts as none that began. */
  refuse(run: Run, error: StepError) {
    this.runs.set(run.id, run)
    this.count(run, run.stepKey!, 'entered')
    this.fail(run, error)
  }

  stepOf(run: Run): Step {
    const step = this.#graphs.get(run.graphId)?.steps.get(run.stepKey!)
    if (!step) throw new Error(`The run ${run.id} stands at ${run.stepKey}, which its graph does not have`)
    return step
  }

  /** Where runs begin. */
  triggerOf(graphId: string): string {
    for (const { key, type } of this.#graphs.get(graphId)!.steps.values()) if (type === 'trigger') return key
    throw new Error(`The graph ${graphId} has no trigger`)
  }

  has(run: Run, type: ConnectionType): boolean {
    return this.#graphs.get(run.graphId)!.next.has(`${type} ${run.stepKey}`)
  }

  changesContact(run: Run): boolean {
    return this.#graphs.get(run.graphId)!.changesContact && !run.test
  }

  /** The step is done, and the run goes on along the connection, if there is one. */
  complete(run: Run, output: object | null, along: ConnectionType) {
    this.#leave(run, { status: 'completed', output, error: null })
    this.#goOn(run, along)
  }

  skip(run: Run, output: object) {
    this.#leave(run, { status: 'skipped', output, error: null })
    this.#goOn(run, 'default')
  }

  /** A step that fails is the end of its run. */
  fail(run: Run, error: StepError) {
    this.#leave(run, { status: 'failed', output: null, error })
    this.#end(run, 'failed')
  }

  finish(run: Run, output: object | null) {
    this.#leave(run, { status: 'completed', output, error: null })
    this.#end(run, 'completed')
  }

  cancel(run: Run) {
    this.moveTo(run, this.now)
    this.count(run, run.stepKey!, 'cancelled')
    this.#end(run, 'cancelled')
  }

  wait(run: Run, { dueAt, waitsFor }: { dueAt: Date | null; waitsFor: string | null }) {
    run.dueAt = dueAt
    run.waitsFor = waitsFor
  }

  sent(run: Run, emailId: string) {
    this.count(run, run.stepKey!, 'sent')
    const { automationId, stepKey, depth, test } = run
    this.#emails.push({ emailId, automationId, stepKey: stepKey!, depth, isTest: test !== null })
  }

  count({ automationId, test }: Pick<Run, 'automationId' | 'test'>, stepKey: string, name: string, by = 1) {
    if (test) return
    const key = JSON.stringify([automationId, stepKey, name])
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by)
  }

  /** Writes down what became of the runs, and what was counted. */
  async write() {
    await writeRuns(this.trx, this.team, [...this.runs.values()].filter(hasMoved))
    await this.#writeEmails()
    await this.#writeCounts()
    if (this.#begun > 0)
      await this.trx.query(sql.write`
        insert into automation_usage as known (team_id, month, runs)
        values (${this.team}, ${`${this.now.toISOString().slice(0, 7)}-01`}, ${this.#begun})
        on conflict (team_id, month) do update set runs = known.runs + excluded.runs`)
  }

  async #writeEmails() {
    if (this.#emails.length === 0) return
    await this.trx.query(sql.write`
      insert into automation_emails (team_id, email_id, automation_id, step_key, depth, is_test)
      select ${this.team}, "emailId", "automationId", "stepKey", depth, "isTest"
      from ${rowsOf(this.#emails, { emailId: 'uuid', automationId: 'uuid', stepKey: 'text', depth: 'int', isTest: 'boolean' })}`)
  }

  async #writeCounts() {
    if (this.#counts.size === 0) return
    const counts = [...this.#counts].map(([key, count]) => {
      const [automationId, stepKey, name] = JSON.parse(key) as [string, string, string]
      return { automationId, stepKey, name, count }
    })
    // An automation that is gone has no numbers.
    await this.trx.query(sql.write`
      insert into automation_numbers as known (team_id, automation_id, step_key, name, count)
      select ${this.team}, "automationId", "stepKey", given.name, count
      from ${rowsOf(counts, { automationId: 'uuid', stepKey: 'text', name: 'text', count: 'bigint' })}
      join automations a on a.team_id = ${this.team} and a.id = given."automationId"
      on conflict (team_id, automation_id, step_key, name) do update set count = known.count + excluded.count`)
  }

  #leave(run: Run, { status, output, error }: Pick<HistoryEntry, 'status' | 'output' | 'error'>) {
    const { key, type } = this.stepOf(run)
    const entered = run.enteredAt.toISOString()
    run.added.push({
      key,
      type,
      status,
      output,
      error,
      created_at: entered,
      started_at: entered,
      completed_at: run.moment.toISOString(),
    })
    this.count(run, key, status)
    this.wait(run, { dueAt: null, waitsFor: null })
  }

  #goOn(run: Run, along: ConnectionType) {
    const next = this.#graphs.get(run.graphId)!.next.get(`${along} ${run.stepKey}`)
    if (next === undefined) return this.#end(run, 'completed')
    this.count(run, run.stepKey!, `took_${along}`)
    run.stepKey = next
    run.enteredAt = run.moment
    this.count(run, next, 'entered')
  }

  #end(run: Run, status: 'completed' | 'failed' | 'cancelled') {
    run.status = status
    run.stepKey = null
    run.completedAt = run.moment
    this.wait(run, { dueAt: null, waitsFor: null })
  }
}

/** Those that an event did not concern were only looked at: a filter may pass over thousands. */
const hasMoved = ({ isNew, added, status }: Run) => isNew || added.length > 0 || status !== 'running'

function indexGraph({ steps, connections }: Graph): IndexedGraph {
  return {
    steps: new Map(steps.map((step) => [step.key, step])),
    next: new Map(connections.map(({ from, to, type }) => [`${type} ${from}`, to])),
    changesContact: steps.some(({ type }) => type === 'contact_update' || type === 'contact_delete'),
  }
}
