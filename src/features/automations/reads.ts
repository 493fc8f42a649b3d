import { type Sql, sql } from '../../kernel/db/sql.ts'

/** Runs that began in the month. */
export const countRuns = (team: string, month: Date): Sql => sql`
  coalesce((
    select runs::float8 from automation_usage
    where team_id = ${team} and month = ${month.toISOString().slice(0, 10)}::date), 0)`
