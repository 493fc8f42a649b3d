import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { toJson } from '../../../kernel/db/rows.ts'
import { join, type Sql, sql } from '../../../kernel/db/sql.ts'
import { newId } from '../../../platform/ids.ts'
import type { Graph } from './graph.ts'

// Automations and their graphs, as the API writes them.

export type AutomationStatus = 'enabled' | 'disabled'
export type OncePerContact = 'never' | 'while_running' | 'ever'

export interface NewAutomation {
  readonly name: string
  readonly status: AutomationStatus
  readonly graph: Graph
  readonly oncePerContact?: OncePerContact
  /** Of one that was somewhere else before. */
  readonly former?: { readonly id: string; readonly created_at: Date; readonly updated_at: Date }
}

export async function insertAutomation(trx: Transaction, team: string, automation: NewAutomation): Promise<string> {
  const clock = trx.clock.of(team)
  const now = clock.now()
  const { name, status, graph, oncePerContact = 'never', former } = automation
  const { id, created_at, updated_at } = former ?? { id: newId(clock, now), created_at: now, updated_at: now }
  const graphId = await insertGraph(trx, team, id, graph)
  await trx.query(sql.write`
    insert into automations (team_id, id, name, status, graph_id, trigger_event, once_per_contact, created_at, updated_at)
    values (${team}, ${id}, ${name}, ${status}, ${graphId}, ${triggerOf(graph)}, ${oncePerContact}, ${created_at}, ${updated_at})`)
  return id
}

async function insertGraph(trx: Transaction, team: string, automation: string, graph: Graph): Promise<string> {
  const clock = trx.clock.of(team)
  const now = clock.now()
  const id = newId(clock, now)
  await trx.query(sql.write`
    insert into automation_graphs (team_id, id, automation_id, steps, connections, created_at)
    values (${team}, ${id}, ${automation}, ${toJson(graph.steps)}, ${toJson(graph.connections)}, ${now})`)
  await trx.query(sql.write`
    insert into automation_graph_events (team_id, event_name, graph_id)
    select ${team}, event_name, ${id} from unnest(${eventsOf(graph)}::text[]) as event_name`)
  return id
}

/** What it begins with and what it waits for. */
function eventsOf({ steps }: Graph): string[] {
  const names = steps.flatMap((step) =>
    step.type === 'trigger' || step.type === 'wait_for_event' ? [step.config.event_name] : [],
  )
  return [...new Set(names)]
}

/** A graph that was checked has one. */
export const triggerStepOf = ({ steps }: Graph) => steps.find((step) => step.type === 'trigger')!

const triggerOf = (graph: Graph): string => triggerStepOf(graph).config.event_name

export interface StoredAutomation {
  readonly name: string
  readonly status: AutomationStatus
  readonly oncePerContact: OncePerContact
  readonly graphId: string
  readonly graph: Graph
}

/** Stays as it is until the transaction ends. */
export async function lockAutomation(
  trx: Transaction,
  team: string,
  id: string,
): Promise<StoredAutomation | undefined> {
  const [automation] = await trx.query<StoredAutomation>(sql`
    select a.name, a.status, a.once_per_contact as "oncePerContact", a.graph_id as "graphId",
      json_build_object('steps', g.steps, 'connections', g.connections) as graph
    from automations a join automation_graphs g on g.team_id = a.team_id and g.id = a.graph_id
    where a.team_id = ${team} and a.id = ${id} for update of a`)
  return automation
}

export interface AutomationChanges {
  readonly name?: string | undefined
  readonly status?: AutomationStatus | undefined
  readonly oncePerContact?: OncePerContact | undefined
  readonly stoppedBefore?: string
}

const COLUMNS: Readonly<Record<keyof AutomationChanges, Sql>> = {
  name: sql`name`,
  status: sql`status`,
  oncePerContact: sql`once_per_contact`,
  stoppedBefore: sql`stopped_before`,
}

/** What is undefined stays. False: there is no such automation. */
export async function updateAutomation(
  trx: Transaction,
  team: string,
  id: string,
  changes: AutomationChanges,
): Promise<boolean> {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const assigned = given.map(([name, value]) => sql`${COLUMNS[name as keyof AutomationChanges]} = ${value},`)
  const rows = await trx.query(sql.write`
    update automations set ${join(assigned, ' ')} updated_at = ${trx.clock.of(team).now()}
    where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

/** Runs finish on the graph that they began with: it stays as long as one of them is there. */
export async function replaceGraph(
  trx: Transaction,
  team: string,
  automation: { readonly id: string; readonly graphId: string },
  graph: Graph,
) {
  const graphId = await insertGraph(trx, team, automation.id, graph)
  await trx.query(sql.write`
    update automations set graph_id = ${graphId}, trigger_event = ${triggerOf(graph)}
    where team_id = ${team} and id = ${automation.id}`)
  const old = sql`g.team_id = ${team} and g.id = ${automation.graphId}`
  await trx.query(sql.write`delete from automation_graphs g where ${old} and not ${hasRuns(sql``)}`)
  await trx.query(sql.write`delete from automation_graph_events e using automation_graphs g where ${old} and ${isDeaf}`)
}

const hasRuns = (which: Sql) => sql`exists (
  select from automation_runs r where r.team_id = g.team_id and r.graph_id = g.id ${which})`

/** Events of a graph that no automation has any more, and on which no run goes on. */
const isDeaf = sql`e.team_id = g.team_id and e.graph_id = g.id and not ${hasRuns(sql`and r.status = 'running'`)}`

/** Its runs go as well, in batches: `deleteRunsOf`. */
export async function deleteAutomation(trx: Transaction, team: string, id: string): Promise<boolean> {
  const rows = await trx.query(sql.write`delete from automations where team_id = ${team} and id = ${id} returning id`)
  if (rows.length === 0) return false
  await trx.query(sql.write`delete from automation_graphs where team_id = ${team} and automation_id = ${id}`)
  await trx.query(sql.write`delete from automation_numbers where team_id = ${team} and automation_id = ${id}`)
  return true
}

const isReplaced = sql`not exists (
  select from automations a where a.team_id = g.team_id and a.id = g.automation_id and a.graph_id = g.id)`

/** Deletes some graphs that neither an automation nor a run has, and returns whether there may be more. */
export async function deleteUnusedGraphs(db: Queryable, limit: number): Promise<boolean> {
  await db.query(
    sql.write`delete from automation_graph_events e using automation_graphs g where ${isReplaced} and ${isDeaf}`,
  )
  const rows = await db.query(sql.write`
    delete from automation_graphs where (team_id, id) in (
      select g.team_id, g.id from automation_graphs g where ${isReplaced} and not ${hasRuns(sql``)} limit ${limit})
    returning id`)
  return rows.length === limit
}
