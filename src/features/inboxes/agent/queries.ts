import type { Static } from 'typebox'
import type { Database, Queryable, Transaction } from '../../../kernel/db/database.ts'
import { toJson } from '../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { record } from '../../../kernel/outbox/record.ts'
import { firstIdAt, newId } from '../../../platform/ids.ts'
import { deletePolicies } from '../../policies/queries.ts'
import { currentThread } from '../filing/folders.ts'
import type { InboxRef } from '../filing/store.ts'
import type { AgentSettings } from './context.ts'
import type { MessageRef } from './load.ts'
import { type AgentAct, AgentRun } from './schema.ts'

/** The day of a moment, as budgets count them. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

export async function findAgent(db: Queryable, team: string, inbox: string): Promise<AgentSettings | undefined> {
  const [row] = await db.query<AgentSettings>(sql`
    select instructions, tone, actions, forward_to as "forwardTo" from inbox_agents
    where team_id = ${team} and inbox_id = ${inbox}`)
  return row
}

export const saveAgent = (trx: Transaction, team: string, inbox: string, agent: AgentSettings) =>
  trx.query(sql.write`
    insert into inbox_agents (team_id, inbox_id, instructions, tone, actions, forward_to, updated_at)
    values (${team}, ${inbox}, ${agent.instructions}, ${agent.tone}, ${agent.actions}, ${agent.forwardTo},
      ${trx.clock.of(team).now()})
    on conflict (team_id, inbox_id) do update
    set instructions = excluded.instructions, tone = excluded.tone, actions = excluded.actions,
      forward_to = excluded.forward_to, updated_at = excluded.updated_at`)

export async function countRuns(db: Queryable, team: string, inbox: string): Promise<number> {
  const [row] = await db.query<{ runs: number }>(sql`
    select runs from inbox_agent_usage
    where team_id = ${team} and inbox_id = ${inbox} and day = ${dayOf(db.clock.of(team).now())}`)
  return row?.runs ?? 0
}

/** Takes one of the runs of this day; false when there is none left. Whoever comes at the same time waits for the row. */
export async function takeRun(trx: Transaction, team: string, inbox: string, most: number): Promise<boolean> {
  if (most === 0) return false
  const rows = await trx.query(sql.write`
    insert into inbox_agent_usage as u (team_id, inbox_id, day, runs, tokens)
    values (${team}, ${inbox}, ${dayOf(trx.clock.of(team).now())}, 1, 0)
    on conflict (team_id, inbox_id, day) do update set runs = u.runs + 1 where u.runs < ${most}::int
    returning u.runs`)
  return rows.length > 0
}

/** A run that has begun. */
export interface StartedRun {
  readonly id: string
  readonly status: Static<typeof AgentRun>['status'] | 'running'
  readonly acts: readonly Act[]
}

export type Act = Static<typeof AgentAct>

/** The run for this message, until the transaction ends nobody else's. */
export async function lockRun(trx: Transaction, { team, inbox, email }: MessageRef): Promise<StartedRun | undefined> {
  const [row] = await trx.query<StartedRun>(sql`
    select id, status, acts from inbox_agent_runs
    where team_id = ${team} and inbox_id = ${inbox} and email_id = ${email} for update`)
  return row
}

export interface NewRun extends MessageRef {
  readonly thread: string
  readonly status: 'running' | 'skipped'
  /** Why it is skipped. */
  readonly error: string | null
}

export const insertRun = (trx: Transaction, { team, inbox, thread, email, status, error }: NewRun) => {
  const clock = trx.clock.of(team)
  const now = clock.now()
  return trx.query(sql.write`
    insert into inbox_agent_runs
      (team_id, id, inbox_id, thread_id, email_id, status, acts, error, input_tokens, output_tokens, created_at)
    values (${team}, ${newId(clock, now)}, ${inbox}, ${thread}, ${email}, ${status}, '[]', ${error}, 0, 0, ${now})`)
}

/** How often the agent has looked at messages of this thread since then. */
export async function countRunsOf(db: Queryable, team: string, thread: string, since: Date): Promise<number> {
  const [row] = await db.query<{ runs: number }>(sql`
    select count(*)::int as runs from inbox_agent_runs
    where team_id = ${team} and thread_id = ${thread} and id >= ${firstIdAt(since, team)} and status <> 'skipped'`)
  return row!.runs
}

export const recordAct = (trx: Transaction, team: string, run: string, act: Act) =>
  trx.query(sql.write`
    update inbox_agent_runs set acts = acts || ${toJson([act])}::jsonb where team_id = ${team} and id = ${run}`)

/** What the model has read and written, for the run and for the day. */
export const recordTokens = (db: Queryable, { team, inbox, email }: MessageRef, input: number, output: number) =>
  db.query(sql.write`
    with counted as (
      update inbox_agent_usage set tokens = tokens + ${input + output}::bigint
      where team_id = ${team} and inbox_id = ${inbox} and day = ${dayOf(db.clock.of(team).now())})
    update inbox_agent_runs set input_tokens = input_tokens + ${input}::int, output_tokens = output_tokens + ${output}::int
    where team_id = ${team} and inbox_id = ${inbox} and email_id = ${email}`)

/** Why the model could not be asked: shown if it never can. */
export const recordError = (db: Queryable, { team, inbox, email }: MessageRef, error: string) =>
  db.query(sql.write`
    update inbox_agent_runs set error = ${error}
    where team_id = ${team} and inbox_id = ${inbox} and email_id = ${email} and status = 'running'`)

type Ending = 'done' | 'failed' | 'skipped'

/** A run ends once, and says how. */
export const endRun = (db: Database, ref: MessageRef, status: Ending, error: string | null) =>
  db.transaction((trx) => endRunWith(trx, ref, status, sql`${error}`))

/** One that was tried as often as there is hope. */
export const giveUpRun = (trx: Transaction, ref: MessageRef) =>
  endRunWith(trx, ref, 'failed', sql`coalesce(error, 'It could not be finished.')`)

async function endRunWith(trx: Transaction, { team, inbox, email }: MessageRef, status: Ending, error: Sql) {
  const ended = await trx.query<{ thread: string }>(sql.write`
    update inbox_agent_runs set status = ${status}, error = ${error}
    where team_id = ${team} and inbox_id = ${inbox} and email_id = ${email} and status = 'running'
    returning thread_id as thread`)
  const events = ended.map(({ thread }) => ({ inbox_id: inbox, thread_id: thread, email_id: email }))
  await record(trx, team, 'inbox.agent.run.ended', events)
}

/** Those that have ended. A run of a thread that was merged is shown with the thread that it is part of now. */
export const agentRunRows = (team: string, inbox: string, thread?: string): Rows => ({
  columns: columnsOf(AgentRun, 'r', {
    thread_id: sql`coalesce((
      select g.into_id from merged_inbox_threads g where g.team_id = r.team_id and g.id = r.thread_id), r.thread_id)`,
  }),
  from: sql`inbox_agent_runs r`,
  where: sql`r.team_id = ${team} and r.inbox_id = ${inbox} and r.status <> 'running'
    ${thread === undefined ? sql`` : sql`and r.thread_id = any (array(${threadsOf(team, thread)}))`}`,
  id: sql`r.id`,
})

/** The thread that this one is by now, and those that have become part of it. */
const threadsOf = (team: string, thread: string) => sql`
  with current as (select ${currentThread(team, thread)} as id)
  select id from current
  union all
  select g.id from current join merged_inbox_threads g on g.team_id = ${team} and g.into_id = current.id`

/** Deletes some of what the agent of an inbox has done, and then what it has used, and its policy. False: nothing is left. */
export async function deleteRunsOf(trx: Transaction, { team, inbox }: InboxRef, limit: number): Promise<boolean> {
  const runs = await trx.query(sql.write`
    delete from inbox_agent_runs where team_id = ${team} and id in (
      select id from inbox_agent_runs where team_id = ${team} and inbox_id = ${inbox} limit ${limit}) returning id`)
  if (runs.length > 0) return true
  const usage = await trx.query(sql.write`
    delete from inbox_agent_usage where team_id = ${team} and inbox_id = ${inbox} returning day`)
  await deletePolicies(trx, [{ team, policyId: inbox }])
  return usage.length > 0
}
