import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { MAX_CHAIN_DEPTH } from './chain.ts'
import type { Graph, StepType } from './graph.ts'
import type { Payload } from './values.ts'

/** An entry in the history of a run: a step that it has left. Times are those of the team. */
export interface HistoryEntry {
  readonly key: string
  readonly type: StepType
  readonly status: 'completed' | 'failed' | 'skipped'
  readonly output: object | null
  readonly error: object | null
  readonly created_at: string
  readonly started_at: string
  readonly completed_at: string
}

export type RunStatus = 'running' | 'completed' | 'failed' | 'cancelled'

/** Somebody tries an automation out: mail goes to that person, nothing is changed, and nothing takes its time. */
export interface Trial {
  readonly to: string
  readonly waits: 'event_received' | 'timeout'
}

/** The state of a run while the engine works on it, which writes it in the end. */
export interface Run {
  readonly id: string
  readonly automationId: string
  readonly graphId: string
  readonly contactId: string
  readonly event: Payload
  readonly test: Trial | null
  /** Its position in a chain of automations whose emails start one another. */
  readonly depth: number
  readonly createdAt: Date
  status: RunStatus
  /** Null once it has ended. */
  stepKey: string | null
  enteredAt: Date
  /** When what takes it on happened, in the time of the team: all that it does then is of this moment, whenever somebody came round to it. */
  moment: Date
  dueAt: Date | null
  waitsFor: string | null
  waitEvents: Readonly<Record<string, Payload>>
  /** Entries to append to the history that is stored already. */
  readonly added: HistoryEntry[]
  startedAt: Date | null
  completedAt: Date | null
  /** It is not in the database yet. */
  readonly isNew: boolean
  /** Its automation is gone, or was stopped after it began. */
  readonly isDisowned: boolean
}

const COLUMNS = sql`
  r.id, r.automation_id as "automationId", r.graph_id as "graphId", r.contact_id as "contactId", r.event, r.test, r.depth,
  r.created_at as "createdAt", r.status, r.step_key as "stepKey", r.entered_at as "enteredAt", r.due_at as "dueAt",
  r.waits_for as "waitsFor", r.wait_events as "waitEvents", r.started_at as "startedAt", r.completed_at as "completedAt",
  a.id is null or coalesce(r.id < a.stopped_before, false) as "isDisowned"`

const FROM = sql`automation_runs r left join automations a on a.team_id = r.team_id and a.id = r.automation_id`

const read = async (trx: Transaction, rest: Sql): Promise<Run[]> =>
  (await trx.query<Omit<Run, 'added' | 'isNew' | 'moment'>>(sql`select ${COLUMNS} from ${FROM} ${rest}`)).map(
    (row) => ({
      ...row,
      moment: row.enteredAt,
      added: [],
      isNew: false,
    }),
  )

/** Those whose time has come, the earliest first. */
export const findDue = (trx: Transaction, team: string, now: Date, limit: number) =>
  read(
    trx,
    sql`where r.team_id = ${team} and r.due_at <= ${now} order by r.due_at, r.id limit ${limit} for update of r`,
  )

/** Those of a contact that wait for an event, in the order in which they began. */
export const findWaiting = (
  trx: Transaction,
  team: string,
  wanted: readonly { readonly contactId: string; readonly eventName: string }[],
  { after, limit }: { after: string; limit: number },
) =>
  read(
    trx,
    sql`join ${rowsOf(wanted, { contactId: 'uuid', eventName: 'text' }, 'wanted')}
        on wanted."contactId" = r.contact_id and wanted."eventName" = r.waits_for
      where r.team_id = ${team} and r.id > ${after} order by r.id limit ${limit} for update of r`,
  )

/** An automation that an event starts. */
export interface Starter {
  readonly id: string
  readonly graphId: string
  readonly triggerEvent: string
  readonly oncePerContact: 'never' | 'while_running' | 'ever'
}

export const findStarters = (trx: Transaction, team: string, eventNames: readonly string[]) =>
  trx.query<Starter>(sql`
    select id, graph_id as "graphId", trigger_event as "triggerEvent", once_per_contact as "oncePerContact"
    from automations where team_id = ${team} and status = 'enabled' and trigger_event = any (${eventNames}::text[])
    order by id`)

/** Which of these contacts the automation has, or has had. Trials do not count, nor do runs that were refused as they began. */
export const findEarlier = (
  trx: Transaction,
  team: string,
  wanted: readonly { readonly automationId: string; readonly contactId: string }[],
  except: readonly string[],
) =>
  trx.query<{ automationId: string; contactId: string; isRunning: boolean }>(sql`
    select wanted."automationId", wanted."contactId", bool_or(r.status = 'running') as "isRunning"
    from ${rowsOf(wanted, { automationId: 'uuid', contactId: 'uuid' }, 'wanted')}
    join automation_runs r on r.team_id = ${team} and r.automation_id = wanted."automationId" and r.contact_id = wanted."contactId"
    where r.test is null and r.depth <= ${MAX_CHAIN_DEPTH} and r.id <> all (${except}::uuid[])
    group by wanted."automationId", wanted."contactId"`)

export async function findGraphs(db: Queryable, team: string, ids: readonly string[]): Promise<Map<string, Graph>> {
  const rows = await db.query<Graph & { id: string }>(sql`
    select id, steps, connections from automation_graphs where team_id = ${team} and id = any (${ids}::uuid[])`)
  return new Map(rows.map(({ id, ...graph }) => [id, graph]))
}

const STATE = {
  id: 'uuid',
  status: 'text',
  stepKey: 'text',
  enteredAt: 'timestamptz',
  dueAt: 'timestamptz',
  waitsFor: 'text',
  waitEvents: 'jsonb',
  added: 'jsonb',
  startedAt: 'timestamptz',
  completedAt: 'timestamptz',
} as const

const ORIGIN = {
  automationId: 'uuid',
  graphId: 'uuid',
  contactId: 'uuid',
  event: 'jsonb',
  test: 'jsonb',
  depth: 'int',
  createdAt: 'timestamptz',
} as const

/** Where runs stand now. */
export async function writeRuns(trx: Transaction, team: string, runs: readonly Run[]) {
  const begun = runs.filter(({ isNew }) => isNew)
  if (begun.length > 0)
    await trx.query(sql.write`
      insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, event, test, depth, created_at, status, step_key,
        entered_at, due_at, waits_for, wait_events, trail, started_at, completed_at)
      select ${team}, id, "automationId", "graphId", "contactId", event, test, depth, "createdAt", status, "stepKey",
        "enteredAt", "dueAt", "waitsFor", "waitEvents", added, "startedAt", "completedAt"
      from ${rowsOf(begun, { ...STATE, ...ORIGIN })}`)
  const known = runs.filter(({ isNew }) => !isNew)
  if (known.length > 0)
    await trx.query(sql.write`
      update automation_runs r set status = given.status, step_key = "stepKey", entered_at = "enteredAt", due_at = "dueAt",
        waits_for = "waitsFor", wait_events = "waitEvents", trail = r.trail || given.added, started_at = "startedAt",
        completed_at = "completedAt"
      from ${rowsOf(known, STATE)} where r.team_id = ${team} and r.id = given.id`)
}
