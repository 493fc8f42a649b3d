import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'

/** What the operator allows a team. Null: as much as it likes. */
export interface TeamLimits {
  /** Recipients of mail that is sent, and messages that are received, by the days and months of UTC. */
  readonly emailsPerDay: number | null
  readonly emailsPerMonth: number | null
  readonly recipientsPerSecond: number | null
  readonly contacts: number | null
  readonly domains: number | null
  readonly webhooks: number | null
  readonly receivedPerDay: number | null
}

export const NO_LIMITS: TeamLimits = {
  emailsPerDay: null,
  emailsPerMonth: null,
  recipientsPerSecond: null,
  contacts: null,
  domains: null,
  webhooks: null,
  receivedPerDay: null,
}

const COLUMNS = sql`
  l.emails_per_day::float8 as "emailsPerDay", l.emails_per_month::float8 as "emailsPerMonth",
  l.recipients_per_second as "recipientsPerSecond", l.contacts::float8 as contacts, l.domains, l.webhooks,
  l.received_per_day::float8 as "receivedPerDay"`

/** Another value for each limit that is named. */
export async function writeLimits(db: Queryable, team: string, changes: Partial<TeamLimits>) {
  const limits = { ...NO_LIMITS, ...changes }
  const names = Object.keys(changes)
  const value = (name: keyof TeamLimits, column: Sql, given: Sql) => (names.includes(name) ? given : column)
  await db.query(sql.write`
    insert into team_limits as l (team_id, emails_per_day, emails_per_month, recipients_per_second, contacts, domains, webhooks,
      received_per_day, updated_at)
    values (${team}, ${limits.emailsPerDay}, ${limits.emailsPerMonth}, ${limits.recipientsPerSecond}, ${limits.contacts},
      ${limits.domains}, ${limits.webhooks}, ${limits.receivedPerDay}, ${db.clock.now()})
    on conflict (team_id) do update set version = l.version + 1, updated_at = excluded.updated_at,
      emails_per_day = ${value('emailsPerDay', sql`l.emails_per_day`, sql`excluded.emails_per_day`)},
      emails_per_month = ${value('emailsPerMonth', sql`l.emails_per_month`, sql`excluded.emails_per_month`)},
      recipients_per_second = ${value('recipientsPerSecond', sql`l.recipients_per_second`, sql`excluded.recipients_per_second`)},
      contacts = ${value('contacts', sql`l.contacts`, sql`excluded.contacts`)},
      domains = ${value('domains', sql`l.domains`, sql`excluded.domains`)},
      webhooks = ${value('webhooks', sql`l.webhooks`, sql`excluded.webhooks`)},
      received_per_day = ${value('receivedPerDay', sql`l.received_per_day`, sql`excluded.received_per_day`)}`)
}

/** The limits of these teams, locked until the transaction ends: whoever counts against them takes turns. */
export async function lockLimits(trx: Queryable, teams: readonly string[]): Promise<Map<string, TeamLimits>> {
  const rows = await trx.query<TeamLimits & { team: string }>(sql`
    select l.team_id as team, ${COLUMNS} from team_limits l
    where l.team_id = any (${teams}::uuid[]) order by l.team_id for no key update`)
  return new Map(rows.map(({ team, ...limits }) => [team, limits]))
}

export async function readAllLimits(db: Queryable): Promise<Map<string, TeamLimits>> {
  const rows = await db.query<TeamLimits & { team: string }>(sql`
    select l.team_id as team, ${COLUMNS} from team_limits l`)
  return new Map(rows.map(({ team, ...limits }) => [team, limits]))
}
