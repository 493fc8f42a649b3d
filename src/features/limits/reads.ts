import { type Sql, sql } from '../../kernel/db/sql.ts'

// What others read of limits and usage, as a part of their statements.

/** By the names that operators know. A team without a row has no limits. */
export const TEAM_LIMITS = sql`(
  select team_id, emails_per_day, emails_per_month, recipients_per_second, contacts, domains, webhooks, received_per_day from team_limits)`

const usageOf = (team: Sql, days: Sql): Sql => sql`(
  select json_build_object('sent', coalesce(sum(u.sent), 0), 'received', coalesce(sum(u.received), 0))
  from team_usage u where u.team_id = ${team} and ${days})`

export const usageOfDay = (team: Sql, day: Sql): Sql => usageOf(team, sql`u.day = ${day}`)

export const usageOfMonth = (team: Sql, day: Sql): Sql =>
  usageOf(team, sql`u.day >= date_trunc('month', ${day}) and u.day < date_trunc('month', ${day}) + interval '1 month'`)

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/** Those that have sent or received mail since yesterday, as `id`: each message is counted in the statement that writes it. */
export const mailingTeams = (now: Date): Sql => sql`(
  select distinct team_id as id from team_usage where day >= ${dayOf(now.getTime() - DAY_MS)}::date)`

/** Those that have sent or received mail on the day of a moment of theirs. */
export const mailingTeamsAt = (moment: Date): Sql => sql`(
  select distinct team_id as id from team_usage
  where day between ${dayOf(moment.getTime() - MINUTE_MS)}::date and ${dayOf(moment.getTime() + MINUTE_MS)}::date)`
