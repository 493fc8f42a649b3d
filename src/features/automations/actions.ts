import type { Static } from 'typebox'
import type { Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { cancel, enqueue } from '../../kernel/jobs/queries.ts'
import { contactNamed, findContactId } from '../contacts/index.ts'
import type { Graph } from './engine/graph.ts'
import { cancelStopped, deleteRuns } from './engine/jobs.ts'
import {
  cancelRun as cancelOne,
  cancelRunning,
  deleteRunsOf,
  insertTestRun,
  MAX_RUNS_PER_REQUEST,
} from './engine/run-store.ts'
import {
  type AutomationChanges,
  deleteAutomation,
  insertAutomation,
  lockAutomation,
  replaceGraph,
  updateAutomation,
} from './engine/store.ts'
import { lockTeam } from './engine/team-lock.ts'
import { checkGraph } from './graph-check.ts'
import { countAutomations } from './queries.ts'
import { requireReferences } from './references.ts'
import { findRunStatus } from './run-queries.ts'
import {
  type CreateAutomation,
  MAX_NAME_LENGTH,
  type ReplaceSteps,
  type TestAutomation,
  type UpdateAutomation,
  type UpdateAutomationSettings,
} from './schema.ts'
import type { AutomationsServices } from './services.ts'

const MAX_AUTOMATIONS = 500

// Whatever changes what runs, or what they may still do, holds the lock of the team: the engine is between two batches then.

export function addAutomation(
  { db }: AutomationsServices,
  { team }: Actor,
  { name, status, steps, connections }: Static<typeof CreateAutomation>,
): Promise<string> {
  const graph = checkGraph(steps, connections)
  return db.transaction(async (trx) => {
    await requireReferences(trx, team, graph)
    await requireBelowMaximum(trx, team)
    return insertAutomation(trx, team, { name, status, graph })
  })
}

/** An event starts a run of each that it fits. Those who add at the same moment may all be the last one. */
export async function requireBelowMaximum(trx: Transaction, team: string) {
  if ((await countAutomations(trx, team)) >= MAX_AUTOMATIONS)
    throw new Problem('quota_exceeded', `A team can have at most ${MAX_AUTOMATIONS} automations. Delete one first.`)
}

/** Runs that have begun go on, as the automation was when they began. */
export function changeAutomation(
  { db }: AutomationsServices,
  { team }: Actor,
  id: string,
  body: Static<typeof UpdateAutomation>,
): Promise<void> {
  const { name, status } = body
  const graph = newGraph(body)
  if (name === undefined && status === undefined && !graph)
    throw new Problem('validation_error', 'Provide at least one of `name`, `status`, or `steps` with `connections`.')
  return db.transaction(async (trx) => {
    await lockTeam(trx, team)
    const before = found(await lockAutomation(trx, team, id), 'Automation')
    if (graph) {
      if (before.status === 'enabled' && status !== 'disabled')
        throw new Problem('validation_error', 'The steps of an enabled automation cannot be changed. Disable it first.')
      await requireReferences(trx, team, graph)
      await replaceGraph(trx, team, { id, graphId: before.graphId }, graph)
    }
    await updateAutomation(trx, team, id, { name, status })
  })
}

/**
 * Replaces the steps of an automation that stays as it is, enabled too: in one transaction, so that no event falls between two graphs, and
 * what is refused changes nothing. Runs that have begun go on with the steps that they began with.
 */
export function replaceSteps(
  { db }: AutomationsServices,
  { team }: Actor,
  id: string,
  { name, steps, connections }: Static<typeof ReplaceSteps>,
): Promise<void> {
  const graph = checkGraph(steps, connections)
  return db.transaction(async (trx) => {
    await lockTeam(trx, team)
    const { graphId } = found(await lockAutomation(trx, team, id), 'Automation')
    await requireReferences(trx, team, graph)
    await replaceGraph(trx, team, { id, graphId }, graph)
    await updateAutomation(trx, team, id, { name })
  })
}

function newGraph({ steps, connections }: Static<typeof UpdateAutomation>): Graph | null {
  if (steps && connections) return checkGraph(steps, connections)
  // An empty list is read as none. A trigger alone has no connections.
  if (steps?.length === 1) return checkGraph(steps, [])
  if (steps || connections) throw new Problem('validation_error', 'Give `steps` and `connections` together.')
  return null
}

export const changeSettings = (
  { db }: AutomationsServices,
  { team }: Actor,
  id: string,
  { once_per_contact }: Static<typeof UpdateAutomationSettings>,
): Promise<void> => change(db, team, id, { oncePerContact: once_per_contact })

const change = (db: AutomationsServices['db'], team: string, id: string, changes: AutomationChanges): Promise<void> =>
  db.transaction(async (trx) => {
    await lockTeam(trx, team)
    found(await updateAutomation(trx, team, id, changes), 'Automation')
  })

const COPY = ' (Copy)'

/** With its settings, and disabled. What it speaks of is looked at when it is changed, as with the original. */
export function duplicateAutomation({ db }: AutomationsServices, { team }: Actor, id: string): Promise<string> {
  return db.transaction(async (trx) => {
    const { name, graph, oncePerContact } = found(await lockAutomation(trx, team, id), 'Automation')
    await requireBelowMaximum(trx, team)
    const copied = [...name].slice(0, MAX_NAME_LENGTH - COPY.length).join('') + COPY
    return insertAutomation(trx, team, { name: copied, status: 'disabled', graph, oncePerContact })
  })
}

/** Disables it and cancels what runs. What one transaction does not reach a job does, and the engine leaves it alone until then. */
export function stopAutomation({ db }: AutomationsServices, { team }: Actor, id: string): Promise<void> {
  return db.transaction(async (trx) => {
    await lockTeam(trx, team)
    found(await updateAutomation(trx, team, id, { status: 'disabled' }), 'Automation')
    const before = await cancelRunning(trx, team, id, { limit: MAX_RUNS_PER_REQUEST })
    if (before === null) return
    await updateAutomation(trx, team, id, { stoppedBefore: before })
    await enqueue(trx, cancelStopped, { team, automationId: id, before }, { key: id })
  })
}

export function removeAutomation({ db }: AutomationsServices, { team }: Actor, id: string): Promise<void> {
  return db.transaction(async (trx) => {
    await lockTeam(trx, team)
    found(await deleteAutomation(trx, team, id), 'Automation')
    await cancel(trx, cancelStopped, id)
    if (await deleteRunsOf(trx, team, id, MAX_RUNS_PER_REQUEST))
      await enqueue(trx, deleteRuns, { team, automationId: id }, { key: id })
  })
}

export function cancelRun(
  { db }: AutomationsServices,
  { team }: Actor,
  automation: string,
  run: string,
): Promise<void> {
  return db.transaction(async (trx) => {
    await lockTeam(trx, team)
    found(await lockAutomation(trx, team, automation), 'Automation')
    const status = found(await findRunStatus(trx, team, automation, run), 'Automation run')
    if (!(await cancelOne(trx, team, automation, run)))
      throw new Problem('validation_error', `Only running runs can be cancelled; this one is ${status}.`)
  })
}

/** Somebody tries it out. Whether it is enabled does not matter. */
export function testAutomation(
  { db }: AutomationsServices,
  { team }: Actor,
  id: string,
  { to, payload = {}, contact_id, waits }: Static<typeof TestAutomation>,
): Promise<string> {
  return db.transaction(async (trx) => {
    const { graphId, graph } = found(await lockAutomation(trx, team, id), 'Automation')
    const contact =
      contact_id === undefined ? null : found(await findContactId(trx, team, contactNamed(contact_id)), 'Contact')
    return insertTestRun(trx, team, { automation: id, graphId, graph, contact, payload, to, waits })
  })
}
