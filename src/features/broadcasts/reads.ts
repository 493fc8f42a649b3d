import type { Database, Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import type { BroadcastContent } from '../../mail/broadcast.ts'

// What delivery and whoever shows an email read of the broadcast that it belongs to. Delivery stands on this folder; the rest of the
// feature stands on delivery.

/** The broadcast `x` of an email `e`, if it is a recipient email of one. */
export const JOIN_BROADCAST = sql`left join broadcasts x on x.team_id = e.team_id and x.id = e.broadcast_id`

/** The recipient `r` that an email `e` was made for, with the variables that are filled in for them. */
export const JOIN_RECIPIENT = sql`
  left join broadcast_recipients r on r.team_id = e.team_id and r.broadcast_id = e.broadcast_id and r.id = e.id`

/** A condition on an email by the alias of its table: it is no recipient email of a broadcast that is being sent. */
export const isNotBeingSent = (alias: Sql): Sql => sql`
  not exists (
    select from broadcasts x where x.team_id = ${alias}.team_id and x.id = ${alias}.broadcast_id and x.status = 'queued')`

/** A team with a broadcast that is being sent, whose recipients have ids of a range; null: none. */
export const teamBroadcasting = ({ from, to }: { from: string; to: string }): Sql => sql`(
  select x.team_id from broadcasts x join broadcast_recipients r on r.team_id = x.team_id and r.broadcast_id = x.id
  where x.status = 'queued' and r.id >= ${from}::uuid and r.id < ${to}::uuid limit 1)`

/** What is known of a broadcast before its text is loaded. */
export interface BroadcastState {
  readonly id: string
  readonly team: string
  /** What has not left by now stays. */
  readonly isCanceled: boolean
  /** What has not left waits until somebody resumes it. */
  readonly isPaused: boolean
  /** Of html, text and preview. */
  readonly bytes: number
}

/** The team of each broadcast. */
export type TeamByBroadcast = ReadonlyMap<string, string>

const among = (teams: TeamByBroadcast) => sql`
  ${rowsOf(
    [...teams].map(([id, team]) => ({ team_id: team, id })),
    { team_id: 'uuid', id: 'uuid' },
  )} join broadcasts b using (team_id, id)`

// The length in bytes of a text that is stored elsewhere is known without fetching it.
const BYTES = sql`
  coalesce(octet_length(b.html), 0) + coalesce(octet_length(b.text), 0) + coalesce(octet_length(b.preview_text), 0)`

export const findStates = (db: Database, teams: TeamByBroadcast) =>
  db.query<BroadcastState>(sql`
    select b.id, b.team_id as team, b.status = 'canceled' as "isCanceled", b.paused_at is not null as "isPaused",
      ${BYTES} as bytes from ${among(teams)}`)

/** This does fetch the text, over there. One that is too large to be sent is not looked at. */
export const countPlaceholders = (db: Database, teams: TeamByBroadcast, maxBytes: number) =>
  db.queryPooled<{ id: string; placeholders: number }>(sql`
    select b.id, case when ${BYTES} > ${maxBytes} then 0 else
      (octet_length(said) - octet_length(replace(said, '{{{', ''))) / 3 end as placeholders
    from ${among(teams)} cross join lateral (select concat(b.html, b.text) as said) content`)

export async function findContent(db: Database, team: string, id: string): Promise<BroadcastContent | undefined> {
  const [content] = await db.queryPooled<BroadcastContent>(sql`
    select html, text, preview_text as "previewText" from broadcasts where team_id = ${team} and id = ${id}`)
  return content
}

/** The broadcasts of all teams that have stopped themselves. */
export const PAUSED_BROADCASTS = sql`(select team_id, id from broadcasts where paused_at is not null)`

/** Which of these are paused, of whatever team. The share lock lets nobody resume one before the transaction ends. */
export const lockPaused = (ids: readonly string[]): Sql => sql`
  select team_id, id from broadcasts where paused_at is not null and id = any (${ids}::uuid[]) order by id for share`

/** The broadcasts of a team with their names. */
export const broadcastNames = (team: string): Sql => sql`
  (select id, name as broadcast_name from broadcasts where team_id = ${team})`

/** When the first of these was made. Null: there is none of them. */
export async function firstMadeAt(db: Queryable, team: string, ids: readonly string[]): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(sql`
    select min(created_at) as at from broadcasts where team_id = ${team} and id = any (${ids}::uuid[])`)
  return row!.at
}

export const countBroadcasts = (team: string): Sql =>
  sql`(select count(*)::float8 from broadcasts where team_id = ${team})`

/** Broadcasts of all teams that are being sent or wait for their time. Those of sandboxes go nowhere. */
export async function countUnsent(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from broadcasts where status in ('queued', 'scheduled') and not is_sandbox(team_id)`)
  return row!.count
}
