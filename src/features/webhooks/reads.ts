import { type Sql, sql } from '../../kernel/db/sql.ts'

export const countWebhooks = (team: string): Sql => sql`(select count(*)::float8 from webhooks where team_id = ${team})`

/** The attempts of a sandbox's webhooks, `a`; a condition may follow. Those of other teams are in the rows of their deliveries, too. */
export const attemptsOf = (team: string): Sql => sql`webhook_attempts a where a.team_id = ${team}`
