import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { shownMoment } from '../../kernel/db/moments.ts'
import { raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { contactWith } from '../contacts/reads.ts'
import type { RunStatus } from './engine/runs.ts'
import type { StoredRun } from './run-steps.ts'
import { AutomationRunItem, RUN_STATUSES, type RunDetails, RunOverview } from './schema.ts'

/** `failed,cancelled` of a query. */
export function readStatuses(text: string | undefined): readonly RunStatus[] {
  if (text === undefined) return RUN_STATUSES
  const given = text.split(',').map((word) => word.trim())
  const chosen = RUN_STATUSES.filter((status) => given.includes(status))
  if (given.every((word) => (RUN_STATUSES as readonly string[]).includes(word))) return chosen
  throw new Problem('invalid_parameter', `The \`status\` must be some of ${RUN_STATUSES.join(', ')}.`)
}

/** Of each status apart: the index has those in order, and one that is rare is found without reading the others. */
const partsOf = (statuses: readonly RunStatus[]): Sql[] => statuses.map((status) => raw(`r.status = '${status}'`))

const ITEM_COLUMNS = columnsOf(AutomationRunItem, 'r')

export const runRows = (team: string, automation: string, statuses: readonly RunStatus[]): Rows => ({
  columns: ITEM_COLUMNS,
  from: sql`automation_runs r`,
  where: sql`r.team_id = ${team} and r.automation_id = ${automation}`,
  id: sql`r.id`,
  parts: partsOf(statuses),
})

export interface Overview {
  readonly automation?: string | undefined
  readonly statuses: readonly RunStatus[]
  readonly contact?: string
}

/** Runs of all automations, or of some. Of an automation that was deleted the runs may still be there for a while, and do not count. */
export function overviewRows(db: Queryable, team: string, { automation, statuses, contact }: Overview): Rows {
  const isOfAll = automation === undefined && statuses.length === RUN_STATUSES.length
  return {
    columns: overviewColumns(db, team),
    from: sql`automation_runs r`,
    where: sql`r.team_id = ${team}
      ${automation === undefined ? sql`` : sql`and r.automation_id = ${automation}`}
      ${contact === undefined ? sql`` : sql`and r.contact_id = ${contact}`}
      and (select a.id from automations a where a.team_id = r.team_id and a.id = r.automation_id) is not null`,
    id: sql`r.id`,
    isFiltered: !isOfAll || contact !== undefined,
    ...(!isOfAll && { parts: partsOf(statuses) }),
  }
}

/** The error of the step at which a run failed: its last one. */
const FAILURE = sql`case when r.status = 'failed' then r.trail -> -1 -> 'error' ->> 'message' end`

/** What is due is kept in real time, and shown in the team's. */
function overviewColumns({ clock }: Queryable, team: string): Sql {
  return columnsOf(RunOverview, 'r', {
    email: sql`coalesce(r.test ->> 'to', (
      select c.email from ${contactWith({ team: sql`r.team_id`, id: sql`r.contact_id` })}))`,
    due_at: sql`wire_time(${shownMoment(clock, team, sql`r.due_at`)})`,
    reason: FAILURE,
    is_test: sql`r.test is not null`,
  })
}

const STEP_COLUMNS = sql`
  r.trail, r.step_key as "stepKey", wire_time(r.entered_at) as "enteredAt",
  json_build_object('steps', g.steps, 'connections', g.connections) as graph`

const WITH_GRAPH = sql`
  automation_runs r
  join automations a on a.team_id = r.team_id and a.id = r.automation_id
  join automation_graphs g on g.team_id = r.team_id and g.id = r.graph_id`

export async function findRun(db: Queryable, team: string, automation: string, id: string) {
  const [run] = await db.query<Static<typeof AutomationRunItem> & StoredRun>(sql`
    select ${ITEM_COLUMNS}, ${STEP_COLUMNS} from ${WITH_GRAPH}
    where r.team_id = ${team} and r.automation_id = ${automation} and r.id = ${id}`)
  return run
}

/** Of whatever automation. */
export async function findRunDetails(db: Queryable, team: string, id: string) {
  const [run] = await db.query<
    Static<typeof RunOverview> & StoredRun & Pick<Static<typeof RunDetails>, 'event' | 'graph'>
  >(sql`
    select ${overviewColumns(db, team)}, ${STEP_COLUMNS}, r.event from ${WITH_GRAPH}
    where r.team_id = ${team} and r.id = ${id}`)
  return run
}

export async function findRunStatus(db: Queryable, team: string, automation: string, id: string) {
  const [run] = await db.query<{ status: RunStatus }>(sql`
    select status from automation_runs where team_id = ${team} and automation_id = ${automation} and id = ${id}`)
  return run?.status
}
