import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import type { Graph } from './engine/graph.ts'
import { Automation, AutomationItem, type AutomationQuery, AutomationSettings } from './schema.ts'

const ITEM_COLUMNS = columnsOf(AutomationItem, 'a')

export const automationRows = (team: string, { status }: Static<typeof AutomationQuery> = {}): Rows => ({
  columns: ITEM_COLUMNS,
  from: sql`automations a`,
  where: sql`a.team_id = ${team} ${status === undefined ? sql`` : sql`and a.status = ${status}`}`,
  id: sql`a.id`,
})

export async function countAutomations(db: Queryable, team: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from automations where team_id = ${team}`)
  return row!.count
}

const COLUMNS = columnsOf(Automation, 'a', { steps: sql`g.steps`, connections: sql`g.connections` })
const WITH_GRAPH = sql`automations a join automation_graphs g on g.team_id = a.team_id and g.id = a.graph_id`

export async function findAutomation(db: Queryable, team: string, id: string) {
  const [automation] = await db.query<Static<typeof Automation>>(sql`
    select ${COLUMNS} from ${WITH_GRAPH} where a.team_id = ${team} and a.id = ${id}`)
  return automation
}

const SETTINGS_COLUMNS = columnsOf(AutomationSettings, 'a', { automation_id: sql`a.id` })

export async function findSettings(db: Queryable, team: string, id: string) {
  const [settings] = await db.query<Static<typeof AutomationSettings>>(sql`
    select ${SETTINGS_COLUMNS} from automations a where a.team_id = ${team} and a.id = ${id}`)
  return settings
}

export interface CountedGraph extends Graph {
  /** How often something happened, by the step and the name. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export async function findNumbers(db: Queryable, team: string, id: string): Promise<CountedGraph | undefined> {
  const [counted] = await db.query<CountedGraph>(sql`
    select g.steps, g.connections, (
      select coalesce(json_object_agg(s.step_key, s.counts), '{}') from (
        select n.step_key, json_object_agg(n.name, n.count) as counts from automation_numbers n
        where n.team_id = a.team_id and n.automation_id = a.id group by n.step_key) s) as counts
    from ${WITH_GRAPH} where a.team_id = ${team} and a.id = ${id}`)
  return counted
}
