import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { OPERATOR_EMAILS } from '../../people/reads.ts'
import type { DomainOfTeam } from '../recheck.ts'
import type { Finding } from './finding.ts'

export interface StoredHealth {
  readonly findings: readonly Finding[]
  readonly checkedAt: string | null
}

export async function findHealth(db: Queryable, { team, domainId }: DomainOfTeam): Promise<StoredHealth | undefined> {
  const [row] = await db.query<StoredHealth>(sql`
    select findings, iso_time(checked_at) as "checkedAt" from domain_health where team_id = ${team} and domain_id = ${domainId}`)
  return row
}

/** When the oldest key that signs was made. */
export async function findKeysSince(db: Queryable, { team, domainId }: DomainOfTeam): Promise<Date | null> {
  const [row] = await db.query<{ since: Date | null }>(sql`
    select min(created_at) as since from domain_keys where team_id = ${team} and domain_id = ${domainId} and state = 'active'`)
  return row!.since
}

/** A domain that is verified is examined from now on. One that is already stays in its turn. */
export const planHealthCheck = (trx: Transaction, { team, domainId }: DomainOfTeam) =>
  trx.query(sql.write`
    insert into domain_health (team_id, domain_id, findings, next_check_at)
    values (${team}, ${domainId}, '[]', ${trx.clock.now()}) on conflict do nothing`)

/** Locks it for the transaction, and makes it if there is none. */
export async function lockHealth(trx: Transaction, { team, domainId }: DomainOfTeam): Promise<readonly Finding[]> {
  await planHealthCheck(trx, { team, domainId })
  const [row] = await trx.query<StoredHealth>(sql`
    select findings from domain_health where team_id = ${team} and domain_id = ${domainId} for update`)
  return row!.findings
}

export const writeHealth = (
  trx: Transaction,
  { team, domainId }: DomainOfTeam,
  { findings, nextCheckAt }: { readonly findings: readonly Finding[]; readonly nextCheckAt: Date },
) =>
  trx.query(sql.write`
    update domain_health set findings = ${JSON.stringify(findings)}::jsonb,
      has_problem = ${findings.some(({ status }) => status === 'problem')}, checked_at = ${trx.clock.now()}, next_check_at = ${nextCheckAt}
    where team_id = ${team} and domain_id = ${domainId}`)

/** Takes domains of all teams that are due, and puts them off, so that a check that gets lost is made up for. */
export const takeDueHealth = (
  db: Queryable,
  { now, putOffTo, limit }: { readonly now: Date; readonly putOffTo: Date; readonly limit: number },
) =>
  db.query<DomainOfTeam>(sql.write`
    update domain_health h set next_check_at = ${putOffTo}
    from (select team_id, domain_id from domain_health where next_check_at <= ${now} order by next_check_at limit ${limit}
      for update skip locked) due
    where h.team_id = due.team_id and h.domain_id = due.domain_id
    returning h.team_id as team, h.domain_id as "domainId"`)

/** Domains with a problem, so many of them: for whoever runs the installation. */
export const listProblems = (db: Pick<Queryable, 'query'>, limit: number) =>
  db.query<{ name: string; message: string }>(sql`
    select d.name, coalesce((
      select finding ->> 'message' from jsonb_array_elements(h.findings) finding where finding ->> 'status' = 'problem' limit 1), '') as message
    from domain_health h join domains d on d.team_id = h.team_id and d.id = h.domain_id
    where h.has_problem order by d.name limit ${limit}`)

const MAX_COUNTED = 10_000

/** How many domains have a problem. */
export async function countProblems(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from (select from domain_health where has_problem limit ${MAX_COUNTED}) found`)
  return row!.count
}

/** Locks it for the transaction, and makes it if there is none. */
export async function lockInstallationHealth(trx: Transaction) {
  const now = trx.clock.now()
  await trx.query(sql.write`
    insert into installation_health (findings, checked_at, next_check_at) values ('[]', ${now}, ${now}) on conflict do nothing`)
  const [row] = await trx.query<{ findings: Finding[]; nextCheckAt: Date }>(
    sql`select findings, next_check_at as "nextCheckAt" from installation_health for update`,
  )
  return row!
}

/** Undefined: nobody has looked yet. */
export async function findInstallationHealth(
  db: Queryable,
): Promise<{ readonly findings: readonly Finding[]; readonly nextCheckAt: Date } | undefined> {
  const [row] = await db.query<{ findings: Finding[]; nextCheckAt: Date }>(
    sql`select findings, next_check_at as "nextCheckAt" from installation_health`,
  )
  return row
}

export const writeInstallationHealth = (
  trx: Transaction,
  { findings, nextCheckAt }: { readonly findings: readonly Finding[]; readonly nextCheckAt: Date },
) =>
  trx.query(sql.write`
    update installation_health
    set findings = ${JSON.stringify(findings)}::jsonb, checked_at = ${trx.clock.now()}, next_check_at = ${nextCheckAt}`)

/** More than that many people do not get a mail each. */
const MAX_OPERATORS = 50

export const listOperators = (db: Queryable) =>
  db.query<{ email: string }>(sql`select email from ${OPERATOR_EMAILS} operators order by id limit ${MAX_OPERATORS}`)
