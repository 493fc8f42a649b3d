import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { type HostedMode, POLICY_LABEL } from '../../mail/hosted-policy.ts'

// What others read of domains, as a part of their statements.

export const DOMAIN_NAMES = sql`(select team_id, id, name from domains)`

export const countDomains = (team: string): Sql => sql`(select count(*)::float8 from domains where team_id = ${team})`

/** Whoever asks for a certificate, or goes by a policy, believes the DNS: the domain must have shown that it is the team's. */
const HAS_POLICY = sql`(receiving and is_receiving_proven)`
const HAS_TRACKING = sql`(tracking_subdomain is not null and is_tracking_verified)`

/** How the policy is served of the domain with this name, whichever team it is of. Null: there is none. */
export async function findHostedMode(db: Queryable, name: string): Promise<HostedMode | null> {
  const [domain] = await db.query<{ mode: HostedMode }>(sql`
    select mta_sts as mode from domains where name = ${name} and not is_placeholder and not is_sandbox(team_id) and ${HAS_POLICY}`)
  return domain?.mode ?? null
}

/** Whether people or mail servers come to this installation by a host name that a domain has, for links or for a policy. */
export async function isHostedName(db: Queryable, host: string): Promise<boolean> {
  const dot = host.indexOf('.')
  if (dot < 1) return false
  const [label, name] = [host.slice(0, dot), host.slice(dot + 1)]
  const [domain] = await db.query(sql`
    select 1 as found from domains
    where name = ${name} and not is_placeholder and not is_sandbox(team_id)
      and ((${label} = ${POLICY_LABEL} and mta_sts <> 'off' and ${HAS_POLICY}) or (tracking_subdomain = ${label} and ${HAS_TRACKING}))`)
  return domain !== undefined
}

/** All such host names, behind one of them: so many, in order. */
export async function listHostedNames(
  db: Queryable,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ host: string }>(sql`
    select host from (
      select ${POLICY_LABEL} || '.' || name as host from domains where not is_placeholder and not is_sandbox(team_id) and ${HAS_POLICY} and mta_sts <> 'off'
      union all
      select tracking_subdomain || '.' || name from domains where not is_placeholder and not is_sandbox(team_id) and ${HAS_TRACKING}) hosted
    where host > ${after} order by host limit ${limit}`)
  return rows.map(({ host }) => host)
}
