import fc from 'fast-check'
import { effectsWith } from '../../src/features/automations/effects.ts'
import { workOff } from '../../src/features/automations/engine/engine.ts'
import type { Graph } from '../../src/features/automations/engine/graph.ts'
import { automationWorker } from '../../src/features/automations/engine/worker.ts'
import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { Progress } from '../../src/kernel/db/team-worker.ts'
import type { App, Client } from './app.ts'
import { storiesOf } from './automated.ts'
import type { ModelAction, ModelContact, ModelOptions, ModelRun, Simulated } from './automation-model-types.ts'
import { anyAction, randomGraph, type Surroundings, triggerEvent } from './random-graphs.ts'
import { ConnectionLost, unluckyDatabase } from './unlucky-database.ts'

// A random case of an automation on the real engine, told in the words of the model.

/** How the engine comes by. The numbers of statements are counted from when it begins. */
export type Look =
  | { readonly by: 'worker' }
  | { readonly by: 'two workers' }
  /** In transactions of so many actions. */
  | { readonly by: 'small batches'; readonly limit: number }
  /** It loses its connection at these statements, and begins again. */
  | { readonly by: 'unlucky worker'; readonly losesAt: readonly number[] }
  /** It loses its connection at this statement, and nobody comes after it. */
  | { readonly by: 'last words'; readonly losesAt: number }

export interface Turn {
  readonly who: number
  readonly action: ModelAction
  readonly look: Look | null
}

export interface Play {
  readonly graph: Graph
  readonly oncePerContact: NonNullable<ModelOptions['oncePerContact']>
  readonly turns: readonly Turn[]
}

/** More than happens in a play. */
const MANY = 300
const statement = fc.integer({ min: 1, max: 40 })

const anyLook = fc.oneof(
  fc.constantFrom<Look>({ by: 'worker' }, { by: 'two workers' }),
  fc.integer({ min: 1, max: 3 }).map((limit): Look => ({ by: 'small batches', limit })),
  fc.array(statement, { minLength: 1, maxLength: 3 }).map((losesAt): Look => ({ by: 'unlucky worker', losesAt })),
  statement.map((losesAt): Look => ({ by: 'last words', losesAt })),
)

/** Between looks there may be several turns, which are then dealt with late and together. */
export function randomPlay(surroundings: Surroundings, people: number): fc.Arbitrary<Play> {
  const action = fc.oneof(
    { weight: 3, arbitrary: triggerEvent },
    { weight: 12, arbitrary: anyAction(surroundings.property) },
    { weight: 1, arbitrary: fc.constantFrom<ModelAction>({ type: 'stop' }, { type: 'disable' }, { type: 'enable' }) },
  )
  const turn = fc.record({ who: fc.nat(people - 1), action, look: fc.option(anyLook, { freq: 2 }) })
  return fc
    .record({
      graph: randomGraph(surroundings),
      oncePerContact: fc.constantFrom('never', 'never', 'while_running', 'ever'),
      first: triggerEvent,
      rest: fc.array(turn, { maxLength: 14, size: 'max' }),
      last: anyLook,
    })
    .map(({ first, rest, last, ...play }) => ({
      ...play,
      turns: [
        { who: 0, action: first, look: null },
        ...rest,
        { who: 0, action: { type: 'pass', seconds: 1 }, look: last },
      ],
    }))
}

export const isOfAll = ({ type }: ModelAction) => ['pass', 'look', 'stop', 'disable', 'enable'].includes(type)

/** Everybody's actions as they were, with the looks that came about. */
export async function play(
  app: App,
  client: Client,
  automation: string,
  turns: readonly Turn[],
  emails: readonly string[],
) {
  const told: { who: number; action: ModelAction }[] = []
  for (const { who, action, look } of turns) {
    const numbered = action.type === 'event' ? numberedEvent(action, told.length) : action
    await act(app, client, { automation, email: emails[who]! }, numbered)
    told.push({ who, action: numbered })
    if (look && (await comeBy(app, client.team, look))) told.push({ who, action: { type: 'look' } })
  }
  return told
}

/** So that each run tells which event it began with. */
const numberedEvent = (event: Extract<ModelAction, { type: 'event' }>, number: number): ModelAction => ({
  ...event,
  payload: { ...event.payload, number },
})

async function act(app: App, client: Client, of: { automation: string; email: string }, action: ModelAction) {
  const contact = `/contacts/${of.email}`
  const automation = `/automations/${of.automation}`
  switch (action.type) {
    case 'event': {
      const { name, payload } = action
      return requireStatus(client.post('/events/send', { event: name, email: of.email, payload }), 202)
    }
    case 'pass':
      return app.clock.advance(action.seconds)
    case 'change_contact': {
      const { properties, ...fields } = action.changes
      return requireStatus(
        client.patch(contact, { ...fields, ...(properties && { properties: { plan: null, ...properties } }) }),
        200,
        404,
      )
    }
    case 'delete_contact':
      return requireStatus(client.delete(contact), 200, 404)
    case 'stop':
      return requireStatus(client.post(`${automation}/stop`), 200)
    case 'enable':
    case 'disable':
      return requireStatus(client.patch(automation, { status: `${action.type}d` }), 200)
  }
}

async function requireStatus(call: Promise<{ status: number; text: string }>, ...expected: number[]) {
  const { status, text } = await call
  if (!expected.includes(status)) throw new Error(`${status}: ${text}`)
}

/** False: nothing has come of it. */
async function comeBy({ services }: App, team: string, look: Look): Promise<boolean> {
  const { db } = services
  const effects = effectsWith(services)
  const workerOn = (database: Database) => automationWorker({ ...services, db: database, effects })
  const workOn = async (database: Database, limit: number) => {
    for (let progress: Progress = 'more'; progress !== 'done'; )
      progress = await workOff(database, effects, team, limit)
  }
  switch (look.by) {
    case 'worker':
      await workerOn(db).runDue()
      return true
    case 'two workers':
      await Promise.all([workerOn(db).runDue(), workerOn(db).runDue()])
      return true
    case 'unlucky worker':
      await workerOn(unluckyDatabase(db, look.losesAt)).runDue()
      return true
    case 'small batches':
      await workOn(db, look.limit)
      return true
    case 'last words':
      try {
        await workOff(unluckyDatabase(db, [look.losesAt]), effects, team, MANY)
      } catch (error) {
        if (error instanceof ConnectionLost) return false
        throw error
      }
      await workOn(db, MANY)
      return true
  }
}

type Shown = Pick<ModelRun, 'status' | 'steps'>

/** Each run by the number of the event that it began with, as the API shows it. */
export async function playedRuns(client: Client, automation: string, graph: Graph) {
  const stories = await storiesOf(client, automation)
  return byNumber(
    graph,
    stories.map(({ status, steps, outputs }) => {
      const shown = Object.entries(steps).map(([key, step]) => [key, { status: step, output: outputs[key] ?? null }])
      return { status, steps: Object.fromEntries(shown) } as Shown
    }),
  )
}

export const expectedRuns = (simulated: readonly Simulated[], graph: Graph) =>
  byNumber(
    graph,
    simulated.flatMap(({ runs }) => runs),
  )

const TOLD: readonly string[] = ['trigger', 'delay', 'wait_for_event', 'condition']

/** The model says nothing about errors, nor about the output of some steps. */
function byNumber(graph: Graph, runs: readonly Shown[]) {
  const isTold = new Map(graph.steps.map(({ key, type }) => [key, TOLD.includes(type)]))
  return Object.fromEntries(
    runs.map(({ status, steps }) => {
      const told = Object.entries(steps).map(([key, step]) => [
        key,
        isTold.get(key) && step.status !== 'failed' ? step : { ...step, output: null },
      ])
      return [(steps.start!.output!.payload as { number: number }).number, { status, steps: Object.fromEntries(told) }]
    }),
  )
}

/** What was written to these addresses, each as the key of the step, which is the subject, and whom to. */
export async function playedEmails({ db }: App, team: string, emails: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ subject: string; to: string }>(sql`
    select subject, "to" ->> 0 as to from emails where team_id = ${team} and "to" ->> 0 = any (${emails}::text[])`)
  return rows.map(({ subject, to }) => `${subject} to ${to}`).sort()
}

export async function playedContact(client: Client, email: string): Promise<ModelContact | null> {
  const { status, body } = await client.get(`/contacts/${email}`)
  if (status === 404) return null
  const { first_name, last_name, unsubscribed, properties } = body
  const values = Object.entries(properties as Record<string, { value: string }>).map(([key, { value }]) => [key, value])
  return { first_name, last_name, unsubscribed, properties: Object.fromEntries(values) }
}
