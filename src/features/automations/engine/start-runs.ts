import { newId } from '../../../platform/ids.ts'
import type { Moving } from './advance.ts'
import type { Batch } from './batch.ts'
import { CHAIN_ENDS, MAX_CHAIN_DEPTH, nextDepth } from './chain.ts'
import type { TakenEvent } from './happenings.ts'
import { findEarlier, type Run, type Starter } from './runs.ts'

/** An event, for one of the contacts that it is about. */
export interface ContactEvent {
  readonly event: TakenEvent
  readonly contactId: string
}

/** Runs of these contacts that the events start. One that goes too far in a chain is there as well, so that people see why it has failed. */
export async function startRuns(
  batch: Batch,
  events: readonly ContactEvent[],
  starters: readonly Starter[],
): Promise<Moving[]> {
  const wanted = events.flatMap(({ event, contactId }) =>
    starters
      .filter(({ id, triggerEvent }) => triggerEvent === event.name && id !== event.sender?.automationId)
      .map((starter) => ({ starter, event, contactId })),
  )
  if (wanted.length === 0) return []
  const isTaken = await earlierRuns(batch, wanted)
  await batch.loadGraphs(wanted.map(({ starter }) => starter.graphId))
  const own = batch.trx.clock.of(batch.team)
  return wanted
    .filter(({ starter, contactId }) => !isTaken(starter, contactId))
    .flatMap(({ starter, event, contactId }): Moving[] => {
      const run: Run = {
        id: newId(own, batch.now),
        automationId: starter.id,
        graphId: starter.graphId,
        contactId,
        event: event.payload,
        test: null,
        depth: nextDepth(event.sender),
        createdAt: event.moment,
        status: 'running',
        stepKey: batch.triggerOf(starter.graphId),
        enteredAt: event.moment,
        moment: event.moment,
        dueAt: null,
        waitsFor: null,
        waitEvents: {},
        added: [],
        startedAt: event.moment,
        completedAt: null,
        isNew: true,
        isDisowned: false,
      }
      if (run.depth > MAX_CHAIN_DEPTH) {
        batch.refuse(run, CHAIN_ENDS)
        return []
      }
      batch.begin(run)
      return [{ run, cause: { kind: 'arrived' } }]
    })
}

/** Whether an automation that runs once for a contact has had it, in the database or in this batch. */
async function earlierRuns(batch: Batch, wanted: readonly { starter: Starter; contactId: string }[]) {
  const limited = wanted.filter(({ starter }) => starter.oncePerContact !== 'never')
  if (limited.length === 0) return () => false
  const asked = limited.map(({ starter, contactId }) => ({ automationId: starter.id, contactId }))
  // What this batch has touched is as it is in here, and not as the database still has it.
  const before = await findEarlier(batch.trx, batch.team, asked, [...batch.runs.keys()])
  const known = new Map(
    before.map(({ automationId, contactId, isRunning }) => [`${automationId} ${contactId}`, isRunning]),
  )
  return ({ id, oncePerContact }: Starter, contactId: string) => {
    if (oncePerContact === 'never') return false
    const here = [...batch.runs.values()].filter(
      (run) => run.automationId === id && run.contactId === contactId && !run.test && run.depth <= MAX_CHAIN_DEPTH,
    )
    if (oncePerContact === 'ever') return here.length > 0 || known.has(`${id} ${contactId}`)
    return known.get(`${id} ${contactId}`) === true || here.some(({ status }) => status === 'running')
  }
}
