import { type Sql, sql } from '../../kernel/db/sql.ts'

/**
 * The requests of a team, `l`, whose answers name an id; among those with ids in a range, which are of real time. A few rows: who made something is
 * known by when that was.
 */
export const requestsAnsweredWith = (
  { team, id }: { team: string; id: string },
  { from, to }: { from: string; to: string },
): Sql => sql`
  request_logs l where l.team_id = ${team} and l.id >= ${from} and l.id < ${to} and l.response_status < 300
    and position(${id} in l.response_body) > 0`
