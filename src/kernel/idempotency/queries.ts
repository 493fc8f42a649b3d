import type { Database, Queryable, Transaction } from '../db/database.ts'
import { LIVING_NODES } from '../db/presence.ts'
import { rowsOf } from '../db/rows.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type Expired, ofTeam } from '../jobs/retention.ts'

/** A request that is to happen once, and the one that it must not happen beside. */
export interface IdempotentRequest {
  readonly team: string
  readonly endpoint: string
  readonly key: string
  readonly bodySha256: Buffer
}

/** One whose answer is known when it is written. */
export interface AnsweredRequest extends IdempotentRequest {
  readonly response: object
}

/**
 * Whether a row of `idempotency_keys as held` may be taken: its day is over, or the request that has it will never answer. That
 * is so when its process is gone, when it is ours (who asks has made sure that no other request of this process is at work with
 * the key, so this one failed to give it back), or when it has taken longer than any request does. A request that is wrongly
 * taken for dead does no harm: it is accepted only while it still has the key. `now` is in the time of the team, as the row is.
 */
const isFreeFor = ({ presence: { node } }: Database, now: Sql): Sql => sql`(
  held.created_at < ${now} - interval '24 hours'
  or (held.response is null and (held.holder = ${node} or held.holder not in (${LIVING_NODES})
    or held.created_at < ${now} - interval '10 minutes')))`

/**
 * Lets the statement end when a synchronous standby has all that it has read. A row may be there before: its commit waited for the standby,
 * and the server was started anew meanwhile. An answer that relies on it would be taken back by a failover.
 */
const WHEN_REPLICATED = sql`case when current_setting('synchronous_standby_names') <> '' then pg_logical_emit_message(true, 'postwren', '') end`

/** What the first request with this key was, and its answer: null while it is at work. Undefined: there was none in the last day. */
export async function findKey(
  db: Database,
  { team, endpoint, key, bodySha256 }: IdempotentRequest,
): Promise<{ isSame: boolean; response: object | null } | undefined> {
  const [row] = await db.query<{ isSame: boolean; response: object | null }>(sql`
    select body_sha256 = ${bodySha256} as "isSame", response, ${WHEN_REPLICATED} from idempotency_keys held
    where team_id = ${team} and endpoint = ${endpoint} and key = ${key}
      and not ${isFreeFor(db, sql`${db.clock.of(team).now()}::timestamptz`)}`)
  return row && { isSame: row.isSame, response: row.response }
}

/**
 * Takes keys for requests: a key goes to the one that writes it first, and everybody else waits for that commit. One that this process
 * holds, for a request that took its time, is answered now. `rows` selects team, endpoint, key, digest of the body, the answer, and
 * instead of an answer the node that is at work, and what time it is for the team. Returns those that were free.
 */
const insertKeys = (db: Database, rows: Sql): Sql => sql.write`
  insert into idempotency_keys as held (team_id, endpoint, key, body_sha256, response, holder, created_at)
  ${rows}
  on conflict (team_id, endpoint, key) do update set
    body_sha256 = excluded.body_sha256, response = excluded.response, holder = excluded.holder, created_at = excluded.created_at
  where ${isFreeFor(db, sql`excluded.created_at`)}
  returning team_id, endpoint, key`

/**
 * The part of a statement that takes the keys of several requests: `admitted (unit)` are the positions, in the list given, of those that may
 * be written, which have no key or have won theirs.
 */
export function claimKeys(db: Database, units: readonly { readonly idempotency: AnsweredRequest | null }[]): Sql {
  const keys = units.map(({ idempotency }, unit) => ({
    ...idempotency,
    unit,
    at: idempotency && db.clock.of(idempotency.team).now(),
  }))
  const columns = {
    unit: 'int',
    team: 'uuid',
    endpoint: 'text',
    key: 'text',
    bodySha256: 'bytea',
    response: 'json',
    at: 'timestamptz',
  } as const
  return sql`given_keys as (
      select * from ${rowsOf(keys, columns)}),
    won_keys as (${insertKeys(
      db,
      sql`
      select team, endpoint, key, "bodySha256", response, null::int, at from given_keys where key is not null`,
    )}),
    admitted as (
      select unit from given_keys given where key is null or exists (
        select from won_keys won where won.team_id = given.team and won.endpoint = given.endpoint and won.key = given.key))`
}

/** Takes the key in the transaction that does what the request asks for. False: it is not free, and the caller rolls back. */
export async function claimKey(
  trx: Transaction,
  db: Database,
  { team, endpoint, key, bodySha256, response }: AnsweredRequest,
): Promise<boolean> {
  const taken = await trx.query(
    insertKeys(
      db,
      sql`select ${team}::uuid, ${endpoint}::text, ${key}::text, ${bodySha256}::bytea, ${JSON.stringify(response)}::json, null::int,
        ${db.clock.of(team).now()}::timestamptz`,
    ),
  )
  return taken.length > 0
}

/** Takes the key for a request that will be at work for a while, so that other processes see it. False: it is not free. */
export async function holdKey(db: Database, { team, endpoint, key, bodySha256 }: IdempotentRequest): Promise<boolean> {
  const held = await db.query(
    insertKeys(
      db,
      sql`select ${team}::uuid, ${endpoint}::text, ${key}::text, ${bodySha256}::bytea, null::json, ${db.presence.node}::int,
        ${db.clock.of(team).now()}::timestamptz`,
    ),
  )
  return held.length > 0
}

export const releaseKey = (db: Database, { team, endpoint, key }: IdempotentRequest) =>
  db.query(sql.write`
    delete from idempotency_keys
    where team_id = ${team} and endpoint = ${endpoint} and key = ${key} and holder = ${db.presence.node}`)

/** Deletes some of what is past its day, and tells whether there may be more. */
export async function deleteKeysBefore(db: Database, { moment, limit, team }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from idempotency_keys where (team_id, endpoint, key) in (
      select team_id, endpoint, key from idempotency_keys where created_at < ${moment} ${ofTeam(team)} limit ${limit})
    returning key`)
  return rows.length === limit
}

/**
 * The key of the request that was answered with an id, as long as it is kept, among those of a few seconds. Null: it had none. Times are those of
 * the team, as the rows have them.
 */
export async function findKeyAnsweredWith(
  db: Queryable,
  { team, id }: { team: string; id: string },
  { from, to }: { from: Date; to: Date },
): Promise<string | null> {
  const [row] = await db.query<{ key: string }>(sql`
    select key from idempotency_keys
    where team_id = ${team} and created_at between ${from} and ${to} and position(${id} in response::text) > 0 limit 1`)
  return row?.key ?? null
}
