import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { columnsOf, insertion } from '../../../kernel/http/columns.ts'
import { newId } from '../../../platform/ids.ts'
import { DOMAINS_CHANNEL } from '../queries.ts'
import type { DomainOfTeam } from '../recheck.ts'
import { type BlockedReason, DomainClaim } from './schema.ts'

/** As the clients of this API know it. */
export const textOf = (token: string) => `resend-domain-verification=${token}`

const COLUMNS = columnsOf(DomainClaim, 'c', {
  // The placeholder, as long as there is one; after success it is the domain itself.
  domain_id: sql`(select d.id from domains d where d.team_id = c.team_id and d.id = c.domain_id)`,
  record: sql`json_build_object('type', 'TXT', 'name', c.name, 'value', ${textOf('')} || c.token, 'ttl', 'Auto')`,
  failure_reason: sql`null`,
})

async function findOne(db: Queryable, team: string, which: Sql): Promise<DomainClaim | undefined> {
  const [claim] = await db.query<DomainClaim>(sql`
    select ${COLUMNS} from domain_claims c where c.team_id = ${team} and ${which} order by c.id desc limit 1`)
  return claim
}

/** The latest claim that this placeholder was made for; also when the placeholder is gone. */
export const findClaim = (db: Queryable, team: string, domainId: string) =>
  findOne(db, team, sql`c.domain_id = ${domainId}`)

const IS_OPEN = sql`status in ('pending', 'blocked')`

/** The claim that asks for the same and is not settled yet. */
export const findSameClaim = (db: Queryable, team: string, name: string, options: object) =>
  findOne(db, team, sql`c.name = ${name} and c.status in ('pending', 'blocked') and c.options = ${options}::jsonb`)

export interface NewClaim {
  readonly domainId: string
  readonly name: string
  readonly region: string
  readonly options: object
  readonly token: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

export const insertClaim = (db: Queryable, team: string, claim: NewClaim) =>
  db.query(sql.write`
    insert into domain_claims ${insertion({
      team_id: team,
      id: newId(db.clock.of(team)),
      domain_id: claim.domainId,
      name: claim.name,
      region: claim.region,
      options: claim.options,
      token: claim.token,
      next_check_at: claim.expiresAt,
      created_at: claim.createdAt,
      expires_at: claim.expiresAt,
    })}`)

export interface OpenClaim {
  readonly domainId: string
  readonly name: string
  readonly token: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

const OPEN = sql`domain_id as "domainId", name, token, created_at as "createdAt", expires_at as "expiresAt"`

export async function findOpenClaim(db: Queryable, team: string, domainId: string): Promise<OpenClaim | undefined> {
  const [claim] = await db.query<OpenClaim>(sql`
    select ${OPEN} from domain_claims where team_id = ${team} and domain_id = ${domainId} and ${IS_OPEN}`)
  return claim
}

/** Ends the open claim of the team on a name, and returns which placeholder stood for it. */
export async function supersedeClaim(db: Queryable, team: string, name: string): Promise<string | undefined> {
  const [claim] = await db.query<{ domainId: string }>(sql.write`
    update domain_claims set status = 'superseded', blocked_reason = null, next_check_at = null
    where team_id = ${team} and name = ${name} and ${IS_OPEN} returning domain_id as "domainId"`)
  return claim?.domainId
}

/** False: it was settled meanwhile. */
async function settle(db: Queryable, team: string, domainId: string, status: 'completed' | 'expired' | 'canceled') {
  const rows = await db.query(sql.write`
    update domain_claims set status = ${status}, blocked_reason = null, next_check_at = null
    where team_id = ${team} and domain_id = ${domainId} and ${IS_OPEN} returning id`)
  return rows.length > 0
}

export const completeClaim = (db: Queryable, team: string, domainId: string) => settle(db, team, domainId, 'completed')
export const expireClaim = (db: Queryable, team: string, domainId: string) => settle(db, team, domainId, 'expired')
export const cancelClaim = (db: Queryable, team: string, domainId: string) => settle(db, team, domainId, 'canceled')

/** Looked at again at that time, and until then in this state. */
export const putOffClaim = (
  db: Queryable,
  team: string,
  domainId: string,
  { blockedReason, nextCheckAt }: { blockedReason: BlockedReason | null; nextCheckAt: Date },
) =>
  db.query(sql.write`
    update domain_claims set status = ${blockedReason ? 'blocked' : 'pending'}, blocked_reason = ${blockedReason},
      next_check_at = least(${nextCheckAt}::timestamptz, expires_at)
    where team_id = ${team} and domain_id = ${domainId} and ${IS_OPEN}`)

/** Takes claims of all teams that are due, and puts them off, so that a check that gets lost is made up for. */
export const takeDueClaims = (db: Queryable, now: Date, putOffTo: Date, limit: number) =>
  db.query<DomainOfTeam>(sql.write`
    update domain_claims c set next_check_at = ${putOffTo}
    from (select team_id, id from domain_claims where next_check_at <= ${now} order by next_check_at limit ${limit} for update skip locked) due
    where c.team_id = due.team_id and c.id = due.id
    returning c.team_id as team, c.domain_id as "domainId"`)

/** The placeholder becomes the domain. */
export function promotePlaceholder(trx: Transaction, team: string, domainId: string) {
  trx.announce(DOMAINS_CHANNEL)
  return trx.query(sql.write`
    update domains set is_placeholder = false, updated_at = ${trx.clock.of(team).now()}
    where team_id = ${team} and id = ${domainId}`)
}
