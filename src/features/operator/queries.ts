import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { join, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import { findRow, type Rows } from '../../kernel/http/rows.ts'
import { countContacts } from '../contacts/reads.ts'
import { dayOf } from '../limits/usage.ts'
import { countWebhooks } from '../webhooks/reads.ts'
import { OperatedTeamItem, type TeamFilter, TeamLimits } from './schema.ts'

const LIMITS = sql`json_build_object(${join(
  Object.keys(TeamLimits.properties).map((name) => raw(`'${name}', l.${name}`)),
  ', ',
)})`

const counted = (days: Sql) => sql`(
  select json_build_object('sent', coalesce(sum(u.sent), 0), 'received', coalesce(sum(u.received), 0))
  from team_usage u where u.team_id = t.id and ${days})`

/** All teams of the installation but its own and sandboxes. Of operators: the statement names no team, since it is for whoever sees all of them. */
export function operatedTeamRows(now: Date, { name }: Static<typeof TeamFilter> = {}): Rows {
  const today = sql`${dayOf(now)}::date`
  const columns = columnsOf(OperatedTeamItem, 't', {
    members: sql`(select count(*) from memberships m where m.team_id = t.id)::float8`,
    today: counted(sql`u.day = ${today}`),
    this_month: counted(
      sql`u.day >= date_trunc('month', ${today}) and u.day < date_trunc('month', ${today}) + interval '1 month'`,
    ),
    limits: LIMITS,
  })
  const named = name === undefined ? sql`` : sql`and position(lower(${name}::text) in lower(t.name)) > 0`
  return {
    columns,
    from: sql`teams t left join team_limits l on l.team_id = t.id`,
    where: sql`not t.is_system and not t.is_sandbox ${named}`,
    id: sql`t.id`,
  }
}

interface Has {
  readonly contacts: number
  readonly domains: number
  readonly webhooks: number
}

/** A team with what it has: counting takes some 60 ms for a million contacts. */
export async function findOperatedTeam(
  db: Queryable,
  team: string,
): Promise<(Static<typeof OperatedTeamItem> & Has) | undefined> {
  const item = await findRow<Static<typeof OperatedTeamItem>>(db, operatedTeamRows(db.clock.now()), team)
  if (!item) return undefined
  const [has] = await db.query<Has>(sql`
    select ${countContacts(team)} as contacts,
      (select count(*)::float8 from domains where team_id = ${team}) as domains,
      ${countWebhooks(team)} as webhooks`)
  return { ...item, ...has! }
}
