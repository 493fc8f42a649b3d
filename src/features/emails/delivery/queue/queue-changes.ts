import { boundStatements } from '../../../../kernel/db/bounded-read.ts'
import type { Database, Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { isHeldByNode } from '../../../../kernel/db/nodes.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import type { Claimed } from '../ledger/queries.ts'
import { isInStates, isWanted, type QueueFilter } from './queue-filter.ts'

// For operators, beside the workers: goes through what waits in the order of its keys, a slice at a time. A slice is so many rows whether
// or not they are wanted, so every statement is short however long the queue is, and each slice commits: whoever stops it in the middle has
// done it to some rows, and to no row by half. Rows that a process holds, or has locked at this moment, are left alone.

/** Rows that one statement looks at, and how many of them it takes at most. */
const ROWS_PER_SLICE = 10_000
const MAX_LOCKED_ROWS = 2_000
const STATEMENT_MS = 30_000
const MAX_EXAMPLES = 5

/** A row that an operator has locked. Nobody holds it; it can be settled like one that was claimed. */
export interface QueueRow extends Omit<Claimed, 'holder'> {
  readonly holder: number | null
}

/** How many recipients of a team a batch was about. */
export interface RecipientsOfTeam {
  readonly team: string
  readonly recipients: number
}

/** Which mail something is done to, and who is told of it. */
export interface QueueChange {
  readonly filter: QueueFilter
  /** Writes down, in the transaction of each slice, what it has done to which team. */
  record(trx: Queryable, teams: readonly RecipientsOfTeam[]): Promise<void>
  /** Ends it after the slice that is under way. */
  readonly signal?: AbortSignal | undefined
  onProgress?(progress: { readonly seen: number; readonly changed: number }): void
}

/** What it came to. */
export interface QueueChanged {
  readonly recipients: number
  /** Wanted, and left alone: a process was sending them at that moment. */
  readonly inFlight: number
  /** It was stopped before it had seen all. */
  readonly isStopped: boolean
}

type Act = (trx: Transaction, rows: readonly QueueRow[]) => Promise<readonly RecipientsOfTeam[]>

/** Does something to all mail that is wanted. */
export async function changeWaiting(db: Database, { filter, ...change }: QueueChange, act: Act): Promise<QueueChanged> {
  let [changed, inFlight] = [0, 0]
  const isStopped = await eachSlice(db, { filter, ...change }, async (after, of) => {
    const slice = await db.transaction(async (trx) => {
      const found = await readSlice(trx, { filter: of, after, locks: true })
      if (found.rows.length === 0) return { ...found, recipients: 0 }
      const teams = await act(trx, found.rows)
      await change.record(trx, teams)
      return { ...found, recipients: teams.reduce((sum, { recipients }) => sum + recipients, 0) }
    })
    changed += slice.recipients
    inFlight += slice.wanted - slice.rows.length
    return { ...slice, changed }
  })
  return { recipients: changed, inFlight, isStopped }
}

/** What would be changed. */
export interface WaitingCount extends QueueChanged {
  readonly examples: readonly { readonly email: string; readonly recipient: string }[]
}

/** The same without doing anything: how many recipients, and a few of them. */
export async function countWanted(
  db: Database,
  options: Pick<QueueChange, 'filter' | 'signal' | 'onProgress'>,
): Promise<WaitingCount> {
  let [recipients, inFlight] = [0, 0]
  const examples: { email: string; recipient: string }[] = []
  const isStopped = await eachSlice(db, options, async (after, of) => {
    const slice = await db.transaction((trx) => readSlice(trx, { filter: of, after, locks: false }))
    recipients += slice.rows.length
    inFlight += slice.wanted - slice.rows.length
    for (const { emailId, recipient } of slice.rows.slice(0, MAX_EXAMPLES - examples.length))
      examples.push({ email: emailId, recipient })
    return { ...slice, changed: recipients }
  })
  return { recipients, inFlight, isStopped, examples }
}

type Step = (after: QueueKey | null, filter: QueueFilter) => Promise<Slice & { readonly changed: number }>

/** Returns whether it was stopped. */
async function eachSlice(
  db: Database,
  { filter, signal, onProgress }: Pick<QueueChange, 'filter' | 'signal' | 'onProgress'>,
  step: Step,
): Promise<boolean> {
  const team = filter.team ?? (filter.email && (await findTeamOf(db, filter.email)))
  if (filter.email && !team) return false
  const of = team ? { ...filter, team } : filter
  let seen = 0
  for (let after: QueueKey | null = null; ; ) {
    if (signal?.aborted) return true
    const slice: Awaited<ReturnType<Step>> = await step(after, of)
    seen += slice.seen
    onProgress?.({ seen, changed: slice.changed })
    if (slice.last === null) return false
    after = slice.last
  }
}

/** The team that an email which waits belongs to. Walks from team to team, an index probe each: the index of the queue begins with them. */
export async function findTeamOf(db: Database, email: string): Promise<string | undefined> {
  const [found] = await db.transaction(async (trx) => {
    await boundStatements(trx, STATEMENT_MS)
    return trx.query<{ team: string }>(sql`
      with recursive waiting (team_id) as (
        (select d.team_id from deliveries d where d.state = 'waiting' order by d.team_id limit 1)
        union all
        select (select d.team_id from deliveries d where d.state = 'waiting' and d.team_id > waiting.team_id order by d.team_id limit 1)
        from waiting where waiting.team_id is not null)
      select waiting.team_id as team from waiting
      where exists (select from deliveries d where d.state = 'waiting' and d.team_id = waiting.team_id and d.email_id = ${email}::uuid)
      limit 1`)
  })
  return found?.team
}

interface QueueKey {
  readonly team: string
  readonly emailId: string
  readonly position: number
}

interface Slice {
  /** Wanted and free. */
  readonly rows: readonly QueueRow[]
  /** How many are wanted, free or not. */
  readonly wanted: number
  readonly seen: number
  /** Null: it was the last slice. */
  readonly last: QueueKey | null
}

interface SliceOf {
  readonly filter: QueueFilter
  readonly after: QueueKey | null
  readonly locks: boolean
}

/** The statement of a slice. A row that was claimed after the statement began is not as it was seen, and is not taken: its claim is asked for again when it is locked. */
export function sliceStatement({ filter, after, locks }: SliceOf, now: Date): Sql {
  const { team, email } = filter
  const isBehind = after
    ? sql`and (d.team_id, d.email_id, d.position) > (${after.team}::uuid, ${after.emailId}::uuid, ${after.position}::smallint)`
    : sql``
  return sql`
    with slice as materialized (
      select d.team_id, d.email_id, d.position, d.holder, d.claims,
        ${isInStates(filter.states, now)} and ${isWanted(filter)} as is_wanted, d.holder is null or not ${isHeldByNode(sql`d.holder`)} as is_free
      from deliveries d
      where d.state = 'waiting' ${team === undefined ? sql`` : sql`and d.team_id = ${team}::uuid`}
        ${email === undefined ? sql`` : sql`and d.email_id = ${email}::uuid`} ${isBehind}
      order by d.team_id, d.email_id, d.position limit ${ROWS_PER_SLICE}),
    wanted as materialized (
      select * from slice where is_wanted order by team_id, email_id, position limit ${MAX_LOCKED_ROWS}),
    taken as materialized (
      select d.team_id as team, d.email_id as "emailId", d.position, d.recipient, d.attempts + 1 as attempts, d.replies = '[]' as "isUnanswered",
        d.holder, d.claims, d.due_at as "dueAt", d.give_up_at as "giveUpAt", d.parked_for as "parkedFor"
      from wanted join deliveries d on d.team_id = wanted.team_id and d.email_id = wanted.email_id and d.position = wanted.position
      where d.state = 'waiting' and wanted.is_free and d.holder is not distinct from wanted.holder and d.claims = wanted.claims ${locks ? sql`order by 1, 2, 3 for update of d skip locked` : sql``}),
    counted as (
      select (select count(*) from slice)::int as seen, (select count(*) from wanted)::int as wanted,
        ${lastKeyOf(sql`slice`)} as "lastSeen", ${lastKeyOf(sql`wanted`)} as "lastWanted")
    select counted.seen, counted.wanted as "wantedCount", counted."lastSeen", counted."lastWanted", taken.* from counted left join taken on true`
}

const lastKeyOf = (rows: Sql): Sql => sql`(
  select row_to_json(one) from (
    select team_id as team, email_id as "emailId", position from ${rows} order by 1 desc, 2 desc, 3 desc limit 1) one)`

async function readSlice(trx: Transaction, of: SliceOf): Promise<Slice> {
  await boundStatements(trx, STATEMENT_MS)
  const found = await trx.query<FoundRow>(sliceStatement(of, trx.clock.now()))
  const { seen, wantedCount, lastSeen, lastWanted } = found[0]!
  // What is behind the last one that was taken is looked at again.
  const isFull = wantedCount === MAX_LOCKED_ROWS
  return {
    rows: found.filter(({ team }) => team !== null),
    wanted: wantedCount,
    seen: isFull ? wantedCount : seen,
    last: isFull ? lastWanted : seen < ROWS_PER_SLICE ? null : lastSeen,
  }
}

/** A row that was taken, with what each row says about the slice; without a team it says nothing else. */
interface FoundRow extends QueueRow {
  readonly seen: number
  readonly wantedCount: number
  readonly lastSeen: QueueKey | null
  readonly lastWanted: QueueKey | null
}

/** The keys of rows as a table, `given`. */
export const keysOf = (rows: readonly QueueRow[]): Sql =>
  rowsOf(
    rows.map(({ team, emailId, position }) => ({ team_id: team, email_id: emailId, position })),
    { team_id: 'uuid', email_id: 'uuid', position: 'smallint' },
    'given',
  )

/** Of `d`: it is one of these. */
export const IS_GIVEN = sql`
  d.state = 'waiting' and d.team_id = given.team_id and d.email_id = given.email_id and d.position = given.position`

export function teamsOf(rows: readonly { readonly team: string }[]): RecipientsOfTeam[] {
  const byTeam = new Map<string, number>()
  for (const { team } of rows) byTeam.set(team, (byTeam.get(team) ?? 0) + 1)
  return [...byTeam].map(([team, recipients]) => ({ team, recipients }))
}
