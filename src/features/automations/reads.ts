import { type RowKey, type Sql, sql } from '../../kernel/db/sql.ts'

/** Runs that began in the month. */
export const countRuns = (team: string, month: Date): Sql => sql`
  coalesce((
    select runs::float8 from automation_usage
    where team_id = ${team} and month = ${month.toISOString().slice(0, 10)}::date), 0)`

/** The runs `r` of a contact with their automations `a`; a condition may follow. Runs of a deleted automation may still be there for a while, and do not count. */
export const runsOf = ({ team, id }: RowKey): Sql => sql`
  automation_runs r join automations a on a.team_id = r.team_id and a.id = r.automation_id
  where r.team_id = ${team} and r.contact_id = ${id} and r.test is null`
