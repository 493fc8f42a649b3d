import { MAX_COUNTED, readBounded } from '../../../../kernel/db/bounded-read.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { join, raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import { TEAM_NAMES } from '../../../teams/reads.ts'
import { isInState, isWanted, QUEUE_STATES, type QueueFilter, type QueueState } from './queue-filter.ts'

// For operators, beside the worker: what waits in the ledger of all teams. Each state is read by its own index, in the order of that
// index, so the first rows cost the same however many there are.

/** An operator may wait for it, and the snapshot of a statement does not keep dead rows alive for longer. */
export const READ_MS = 10_000

/** One recipient of one email. */
export interface WaitingDelivery {
  readonly state: QueueState
  readonly team: string
  readonly teamId: string
  readonly emailId: string
  readonly position: number
  readonly recipient: string
  readonly subject: string
  readonly priority: number
  readonly attempts: number
  /** As text, with all of its digits: a cursor has to find its place again. */
  readonly dueAt: string
  readonly giveUpAt: string
  /** The destination that has enough in flight. */
  readonly parkedFor: string | null
  readonly lastReply: { readonly at: string; readonly reply: string } | null
}

/** The last delivery of a page: the next one begins behind it. */
export type QueueCursor = Pick<WaitingDelivery, 'state' | 'priority' | 'dueAt' | 'teamId' | 'emailId' | 'position'>

const iso = (column: string) => raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)

/** A page of what waits, state by state. One row beyond the limit shows whether there is more, which is left out. */
export async function listWaiting(
  db: Database,
  filter: QueueFilter,
  { limit, after }: { limit: number; after: QueueCursor | null },
): Promise<{ deliveries: WaitingDelivery[]; hasMore: boolean }> {
  const now = db.clock.now()
  const found: WaitingDelivery[] = []
  for (const state of statesOf(filter)) {
    if (after && QUEUE_STATES.indexOf(state) < QUEUE_STATES.indexOf(after.state)) continue
    const cursor = after?.state === state ? after : null
    const keys = firstKeys(state, filter, {
      now,
      limit: limit + 1 - found.length,
      after: cursor,
      ordered: sql`order by ${order(state)}`,
    })
    found.push(...(await readBounded<WaitingDelivery>(db, describe(state, keys), READ_MS)))
    if (found.length > limit) break
  }
  return { deliveries: found.slice(0, limit), hasMore: found.length > limit }
}

export const statesOf = ({ states }: QueueFilter) => QUEUE_STATES.filter((state) => states?.includes(state) ?? true)

const describe = (state: QueueState, keys: Sql): Sql => sql`
  select ${state}::text as state, ${TEAM_NAME} as team, d.team_id as "teamId", d.email_id as "emailId", d.position, d.recipient,
    left(e.subject, 200) as subject, d.priority, d.attempts, ${iso('d.due_at')} as "dueAt", ${iso('d.give_up_at')} as "giveUpAt",
    d.parked_for as "parkedFor", d.replies -> -1 as "lastReply"
  from (${keys}) d join ${TEAM_NAMES} t on t.id = d.team_id join emails e on e.team_id = d.team_id and e.id = d.email_id
  order by ${order(state)}`

/** What the installation itself sends has a team without a name for people. */
export const TEAM_NAME = raw(`case when t.is_system then 'system' else t.name end`)

const isIndexedByTime = (state: QueueState) => !['active', 'suspended', 'held', 'approval'].includes(state)

const KEY = 'd.team_id, d.email_id, d.position'

const order = (state: QueueState) => raw(isIndexedByTime(state) ? `d.priority, d.due_at, ${KEY}` : KEY)

/** That of the index alone. A million that are due at the same moment have to be sorted by their keys for a page, and not for a count. */
const indexOrder = (state: QueueState) => (isIndexedByTime(state) ? raw('order by d.priority, d.due_at') : raw(''))

/** The first rows of a state, in the order of its index, for a count. */
export const countedRows = (state: QueueState, filter: QueueFilter, now: Date): Sql =>
  firstKeys(state, filter, { now, limit: MAX_COUNTED + 1, after: null, ordered: indexOrder(state) })

/** The first rows of a state, behind the cursor. */
function firstKeys(
  state: QueueState,
  filter: QueueFilter,
  { now, limit, after, ordered }: { now: Date; limit: number; after: QueueCursor | null; ordered: Sql },
): Sql {
  const some = (more: Sql) => sql`(
    select * from deliveries d where ${isInState(state, now)} and ${isWanted(filter)} ${more} ${ordered} limit ${limit})`
  if (!isIndexedByTime(state)) {
    const { teamId, emailId, position } = after ?? {}
    return some(
      after
        ? sql`and (d.team_id, d.email_id, d.position) > (${teamId}::uuid, ${emailId}::uuid, ${position}::smallint)`
        : sql``,
    )
  }
  const ofPriority = (priority: number) => {
    const behind =
      after?.priority === priority
        ? sql`and (d.due_at, d.team_id, d.email_id, d.position)
            > (${after.dueAt}::timestamptz, ${after.teamId}::uuid, ${after.emailId}::uuid, ${after.position}::smallint)`
        : sql``
    return some(sql`and d.priority = ${raw(String(priority))} ${behind}`)
  }
  // The index begins with the priority: a branch for each is in order, and the second is not read when the first is enough.
  const priorities = [0, 1].filter((priority) => priority >= (after?.priority ?? 0))
  return sql`${join(priorities.map(ofPriority), ' union all ')} limit ${limit}`
}

/** How much waits in a state for a team or a domain. */
export interface WaitingGroup {
  readonly state: QueueState
  readonly group: string
  readonly recipients: number
  readonly emails: number
  readonly oldestDueAt: Date
  readonly newestDueAt: Date
}

const GROUPS = {
  team: TEAM_NAME,
  domain: raw(`split_part(lower(d.recipient), '@', -1)`),
} as const

export type GroupBy = keyof typeof GROUPS
export const GROUPINGS = Object.keys(GROUPS) as GroupBy[]

/**
 * What waits by state and team or domain, the largest groups of each state first. Of each state the first MAX_COUNTED rows are counted;
 * `capped` are the states that have more.
 */
export async function summarizeWaiting(
  db: Database,
  filter: QueueFilter,
  by: GroupBy,
): Promise<{ groups: WaitingGroup[]; capped: QueueState[] }> {
  const now = db.clock.now()
  const groups: WaitingGroup[] = []
  const capped: QueueState[] = []
  for (const state of statesOf(filter)) {
    const rows = await readBounded<WaitingGroup>(
      db,
      sql`
      select ${state}::text as state, ${GROUPS[by]} as "group", count(*)::int as recipients, count(distinct d.email_id)::int as emails,
        min(d.due_at) as "oldestDueAt", max(d.due_at) as "newestDueAt"
      from (${countedRows(state, filter, now)}) d join ${TEAM_NAMES} t on t.id = d.team_id group by 2 order by recipients desc, 2`,
      READ_MS,
    )
    groups.push(...rows)
    if (rows.reduce((sum, { recipients }) => sum + recipients, 0) > MAX_COUNTED) capped.push(state)
  }
  return { groups, capped }
}
