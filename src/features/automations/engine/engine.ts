import type { Database, Transaction } from '../../../kernel/db/database.ts'
import type { Progress } from '../../../kernel/db/team-worker.ts'
import { groupBy } from '../../../platform/group-by.ts'
import { advance, type Moving } from './advance.ts'
import { type Affair, byContact, ContactQueues, parted } from './affairs.ts'
import { Batch } from './batch.ts'
import type { Effects } from './effects.ts'
import type { StepOf } from './graph.ts'
import { findHappenings, type Happening, nameOf, newEvents, type TakenEvent, takeEvents } from './happenings.ts'
import { correctNextDue } from './next-due.ts'
import { countVisits } from './numbers.ts'
import { evaluate, MissingField, WrongType } from './rules.ts'
import { findStarters, findWaiting, type Run, type Starter } from './runs.ts'
import { type ContactEvent, startRuns } from './start-runs.ts'
import { lockTeam, tryLockTeam } from './team-lock.ts'
import { resolve } from './values.ts'

/** Runs that are woken or started in a transaction. A contact may have any number of them. */
const MOST_RUNS = 2_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** More runs wait for these events than are woken at once. */
class TooMany extends Error {}

/**
 * Deals with what is due for a team, in one transaction: what a step does commits together with where its run stands then, so a
 * crash repeats nothing and skips nothing. Happenings of one contact are dealt with in the order of time, each until all runs
 * wait or have ended, as if nothing took any time; those of different contacts are dealt with together.
 */
export async function workOff(db: Database, effects: Effects, team: string, limit: number): Promise<Progress> {
  try {
    return await db.transaction((trx) => workOffSome(trx, effects, team, limit))
  } catch (error) {
    if (!(error instanceof TooMany)) throw error
    return db.transaction((trx) => workOffSlice(trx, effects, team))
  }
}

async function workOffSome(trx: Transaction, effects: Effects, team: string, limit: number): Promise<Progress> {
  if (!(await tryLockTeam(trx, team))) return 'elsewhere'
  const found = await findHappenings(trx, team, limit)
  if (found.length === 0) {
    await correctNextDue(trx, team)
    return 'done'
  }
  const names = new Set(found.flatMap((one) => (one.kind === 'event' ? [one.event.name] : [])))
  const starters = await findStarters(trx, team, [...names])
  const happenings = asManyAsFit(found, starters)
  const batch = new Batch(trx, team, effects)
  const events = happenings.flatMap((one) => (one.kind === 'event' ? [one.event] : []))
  if (events.some(({ reached }) => reached !== null)) throw new TooMany()
  await takeDue(batch, happenings)
  const postponed = new Set<TakenEvent>()
  const queues = new ContactQueues(await byContact(batch, happenings, starters))
  for (let round = queues.next(); round.length > 0; round = queues.next()) {
    const { now, later } = parted(batch, round)
    for (const event of later) postponed.add(event)
    queues.addDue(await dealWith(batch, now, starters))
  }
  await conclude(
    batch,
    events.filter((event) => !postponed.has(event)),
  )
  const isMore = found.length >= limit || happenings.length < found.length || postponed.size > 0 || batch.hasDue()
  return isMore ? 'more' : 'done'
}

/** An event that starts many automations counts for as many. */
function asManyAsFit(found: readonly Happening[], starters: readonly Starter[]): readonly Happening[] {
  let runs = 0
  const end = found.findIndex((one) => {
    if (one.kind === 'event')
      runs +=
        starters.filter(({ triggerEvent }) => triggerEvent === one.event.name).length * (one.event.emails.length || 1)
    return runs > MOST_RUNS
  })
  return end < 0 ? found : found.slice(0, Math.max(1, end))
}

/** The next happening alone; of an event that too many runs wait for, the next of those runs. It starts runs when all were woken. */
async function workOffSlice(trx: Transaction, effects: Effects, team: string): Promise<Progress> {
  if (!(await tryLockTeam(trx, team))) return 'elsewhere'
  const happenings = await findHappenings(trx, team, 1)
  const [first] = happenings
  if (!first) {
    await correctNextDue(trx, team)
    return 'done'
  }
  const batch = new Batch(trx, team, effects)
  if (first.kind === 'due') {
    await takeDue(batch, [first])
    await advance(batch, resume(batch, first))
    await conclude(batch, [])
    return 'more'
  }
  const starters = await findStarters(trx, team, [first.event.name])
  const affairs = await byContact(batch, happenings, starters)
  const events = affairs.map(({ contactId }) => ({ event: first.event, contactId }))
  const woken = await wake(batch, events, first.event.reached ?? BEFORE_ALL)
  const isLast = batch.runs.size < MOST_RUNS
  const last = [...batch.runs.keys()].at(-1)
  await advance(batch, woken)
  if (isLast) await advance(batch, await startRuns(batch, events, starters))
  await conclude(batch, isLast ? [first.event] : [])
  if (!isLast) await trx.query(newEvents.noteReached(team, first.event.id, last!))
  return 'more'
}

/** Events that were dealt with are off the list, in the transaction that writes what became of the runs. */
async function conclude(batch: Batch, events: readonly TakenEvent[]) {
  await takeEvents(
    batch.trx,
    batch.team,
    events.map(({ id }) => id),
  )
  await batch.write()
  await countVisits(batch.trx, batch.team, events)
  await correctNextDue(batch.trx, batch.team)
}

/** What says when they were due is in their graphs. */
async function takeDue(batch: Batch, happenings: readonly Happening[]) {
  const runs = batch.take(happenings.flatMap((one) => (one.kind === 'due' ? [one.run] : [])))
  await batch.loadGraphs(runs.map(({ graphId }) => graphId))
}

/** The runs that were taken on. */
async function dealWith(batch: Batch, round: readonly Affair[], starters: readonly Starter[]): Promise<Run[]> {
  const moving: Moving[] = []
  for (const { happening } of round) if (happening.kind === 'due') moving.push(...resume(batch, happening))
  const events = round.flatMap(({ happening, contactId }) =>
    happening.kind === 'event' ? [{ event: happening.event, contactId }] : [],
  )
  moving.push(...(await wake(batch, events)))
  await advance(batch, moving)
  // An event that ends a run may start the next one of a contact that has one at a time.
  const started = await startRuns(batch, events, starters)
  await advance(batch, started)
  return [...moving, ...started].map(({ run }) => run)
}

/** The time of a run has come, and it goes on as of that time, unless an event was there before it. */
function resume(batch: Batch, { run, at }: Extract<Happening, { kind: 'due' }>): Moving[] {
  if (run.status !== 'running' || run.dueAt?.getTime() !== at.getTime()) return []
  if (run.isDisowned) {
    batch.cancel(run)
    return []
  }
  // A trial begins like this, standing at its trigger.
  const isAtStart = run.startedAt === null
  batch.moveTo(run, batch.momentDue(run))
  run.startedAt ??= run.moment
  batch.wait(run, { dueAt: null, waitsFor: null })
  return [{ run, cause: { kind: isAtStart ? 'arrived' : 'due' } }]
}

/** Runs of these contacts that wait for the event, and whose filter it passes. With `after` it is one slice of them. */
async function wake(batch: Batch, events: readonly ContactEvent[], after?: string): Promise<Moving[]> {
  if (events.length === 0) return []
  const wanted = events.map(({ event, contactId }) => ({ contactId, eventName: event.name }))
  const found = await findWaiting(batch.trx, batch.team, wanted, { after: after ?? BEFORE_ALL, limit: MOST_RUNS })
  if (found.length === MOST_RUNS && after === undefined) throw new TooMany()
  batch.take(found)
  await batch.loadGraphs([...batch.runs.values()].map(({ graphId }) => graphId))
  const waiting = groupBy(batch.runs.values(), ({ contactId, waitsFor }) => `${contactId} ${waitsFor}`)
  return events.flatMap(({ event, contactId }) =>
    (waiting.get(`${contactId} ${event.name}`) ?? []).sort(inOrderOfBeginning).flatMap((run): Moving[] => {
      if (run.isDisowned) {
        batch.cancel(run)
        return []
      }
      if (!passes(batch, run, event)) return []
      batch.moveTo(run, event.moment)
      return [{ run, cause: { kind: 'event', payload: event.payload } }]
    }),
  )
}

/** By id: some were read as due, and some as waiting. */
const inOrderOfBeginning = (one: Run, other: Run) => (one.id < other.id ? -1 : 1)

/** A filter that cannot be answered is not passed. */
function passes(batch: Batch, run: Run, event: TakenEvent): boolean {
  const { filter_rule } = (batch.stepOf(run) as StepOf<'wait_for_event'>).config
  if (!filter_rule) return true
  const scope = { event: event.payload, contact: null, waitEvents: {} }
  try {
    return evaluate(filter_rule, (field) => resolve({ var: field }, scope))
  } catch (error) {
    if (error instanceof MissingField || error instanceof WrongType) return false
    throw error
  }
}

const OUR_FAULT = { message: 'Something went wrong here. The log of the service says what.' }

export const nameFirst = (db: Database, team: string): Promise<string | undefined> =>
  db.transaction(async (trx) => (await findHappenings(trx, team, 1)).map(nameOf)[0])

/** Gives up the next happening of a team, if it is still this one: an event is forgotten, a run fails. */
export function dropFirst(db: Database, effects: Effects, team: string, name: string | undefined): Promise<void> {
  return db.transaction(async (trx) => {
    await lockTeam(trx, team)
    const [first] = await findHappenings(trx, team, 1)
    if (!first || nameOf(first) !== name) return
    if (first.kind === 'event') return takeEvents(trx, team, [first.event.id])
    const batch = new Batch(trx, team, effects)
    await takeDue(batch, [first])
    batch.moveTo(first.run, batch.now)
    if (first.run.isDisowned) batch.cancel(first.run)
    else batch.fail(first.run, OUR_FAULT)
    await batch.write()
    await correctNextDue(trx, team)
  })
}
