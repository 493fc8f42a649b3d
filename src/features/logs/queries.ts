import type { Database, Queryable } from '../../kernel/db/database.ts'
import { anyRowsOf } from '../../kernel/db/rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { ExchangeRecord } from '../../kernel/http/exchange.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { type Expired, isAmong, nextTeam, type OldRow, oldRows } from '../../kernel/jobs/retention.ts'
import { nameOfKey } from '../api-keys/reads.ts'
import { clientNameOfGrant } from '../oauth/reads.ts'
import { emailOfUser } from '../people/reads.ts'
import { TEAM_IDS } from '../teams/reads.ts'
import { LogItem } from './schema.ts'

/** As it was then. Entries from before it was written down have the name of now, and whoever is gone has none. */
const NAME = sql`coalesce(l.actor_name, case l.actor_kind
  when 'api_key' then ${nameOfKey(sql`l.team_id`, sql`l.actor_id`)}
  when 'user' then ${emailOfUser(sql`l.actor_id`)}
  when 'oauth_token' then ${clientNameOfGrant(sql`l.team_id`, sql`l.actor_id`)} end)`

const COLUMNS = columnsOf(LogItem, 'l', {
  actor: sql`case when l.actor_id is not null
    then json_build_object('type', l.actor_kind, 'id', l.actor_id, 'name', ${NAME}) end`,
})

export const logRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`request_logs l`,
  where: sql`l.team_id = ${team}`,
  id: sql`l.id`,
  periods: { days: 1 },
})

export async function findBodies(db: Queryable, team: string, id: string) {
  const [bodies] = await db.query<{ request_body: string | null; response_body: string | null }>(sql`
    select request_body, response_body from request_logs where team_id = ${team} and id = ${id}`)
  return bodies
}

/**
 * A team that was deleted meanwhile takes its entries along, and must not cost the others theirs. On a connection of its own:
 * a batch of pages is 2 MB, and pipelined connections are for quick statements. To look for those that may be there already is a look into the index
 * and a record of WAL for each entry.
 */
export const insertLogs = (db: Database, entries: readonly ExchangeRecord[], { mayBeThere }: { mayBeThere: boolean }) =>
  db.queryPooled(sql.write`
    insert into request_logs
      (team_id, id, actor_kind, actor_id, actor_name, ip_address, method, endpoint, response_status, duration_ms, user_agent, request_body, response_body, created_at)
    select entry.* from ${anyRowsOf(
      entries,
      {
        team: 'uuid',
        id: 'uuid',
        actorKind: 'text',
        actorId: 'uuid',
        actorName: 'text',
        ipAddress: 'text',
        method: 'text',
        path: 'text',
        status: 'int',
        durationMs: 'int',
        userAgent: 'text',
        requestBody: joined(entries.map(({ requestBody }) => requestBody)),
        responseBody: joined(entries.map(({ responseBody }) => responseBody)),
        at: 'timestamptz',
      },
      'entry',
    )}
    join ${TEAM_IDS} t on t.id = entry.team
    ${mayBeThere ? sql`on conflict do nothing` : sql``}`)

/** JSON escapes control characters, so this one is never part of a body. */
const SEPARATOR = '\x1e'

/**
 * Bodies as one text. As an array each would be escaped, and JSON is full of quotes: 55 µs here and 93 µs in PostgreSQL for an
 * entry with a page of 20 contacts, instead of 10 and 76. Nothing between two separators is null.
 */
const joined = (bodies: readonly (string | null)[]): Sql =>
  sql`string_to_array(${bodies.map((body) => body ?? '').join(SEPARATOR)}, ${SEPARATOR}, '')`

/** Deletes some of what is too old, and returns from which team on there may be more. */
export async function deleteLogsBefore(db: Queryable, expired: Expired): Promise<string | false> {
  const ofTeams = await db.query<OldRow>(oldRows(sql`request_logs`, expired, { isInRealTime: true }))
  if (ofTeams.length > 0) await db.query(sql.write`delete from request_logs r where ${isAmong(ofTeams)}`)
  return nextTeam(ofTeams, expired.limit)
}
