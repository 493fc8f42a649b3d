import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { join, raw, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import { findRow, type Rows } from '../../kernel/http/rows.ts'
import { countContacts } from '../contacts/reads.ts'
import { countDomains } from '../domains/reads.ts'
import { TEAM_LIMITS, usageOfDay, usageOfMonth } from '../limits/reads.ts'
import { dayOf } from '../limits/usage.ts'
import { countMembers } from '../people/reads.ts'
import { TEAMS_OF_PEOPLE } from '../teams/reads.ts'
import { countWebhooks } from '../webhooks/reads.ts'
import { OperatedTeamItem, type TeamFilter, TeamLimits } from './schema.ts'

const LIMITS = sql`json_build_object(${join(
  Object.keys(TeamLimits.properties).map((name) => raw(`'${name}', l.${name}`)),
  ', ',
)})`

/** All teams of the installation but its own and sandboxes. Of operators: the statement names no team, since it is for whoever sees all of them. */
export function operatedTeamRows(now: Date, { name }: Static<typeof TeamFilter> = {}): Rows {
  const today = sql`${dayOf(now)}::date`
  const columns = columnsOf(OperatedTeamItem, 't', {
    members: sql`${countMembers(sql`t.id`)}::float8`,
    today: usageOfDay(sql`t.id`, today),
    this_month: usageOfMonth(sql`t.id`, today),
    limits: LIMITS,
  })
  const isNamed = name === undefined ? sql`true` : sql`position(lower(${name}::text) in lower(t.name)) > 0`
  return {
    columns,
    from: sql`${TEAMS_OF_PEOPLE} t left join ${TEAM_LIMITS} l on l.team_id = t.id`,
    where: isNamed,
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
      ${countDomains(team)} as domains,
      ${countWebhooks(team)} as webhooks`)
  return { ...item, ...has! }
}
