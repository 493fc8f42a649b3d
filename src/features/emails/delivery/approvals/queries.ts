import type { Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import type { PolicyHolder } from '../../../../kernel/http/policy-page.ts'
import { byKey, type Expired, isAmong, nextTeam, type OldRow, oldRows } from '../../../../kernel/jobs/retention.ts'
import { nameOfKey } from '../../../api-keys/reads.ts'
import { addressOfInbox } from '../../../inboxes/reads.ts'
import { clientNameOfGrant } from '../../../oauth/reads.ts'
import type { ApprovalStatus } from './approval.ts'

/** Approvals `a` of a team, with their emails `e`; a condition may follow. */
export const approvalsWithEmails = sql`approvals a join emails e on e.team_id = a.team_id and e.id = a.email_id`

/** What the holder of the policy of `a` is called. Null: it was deleted. */
export const HOLDER_NAME: Sql = sql`case a.holder
  when 'api_key' then ${nameOfKey(sql`a.team_id`, sql`a.policy_id`)}
  when 'oauth_grant' then ${clientNameOfGrant(sql`a.team_id`, sql`a.policy_id`)}
  else ${addressOfInbox(sql`a.team_id`, sql`a.policy_id`)} end`

/** Some of those whose time is over, the first ones first. */
export async function findOverdue(db: Queryable, team: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select a.email_id as id from approvals a
    where a.team_id = ${team} and a.status = 'waiting' and a.expires_at <= ${db.clock.of(team).now()} order by a.expires_at limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** When the time of the next one is over, in the time of the team. */
export async function nextExpiry(db: Queryable, team: string): Promise<Date | null> {
  const [row] = await db.query<{ at: Date }>(sql`
    select a.expires_at as at from approvals a where a.team_id = ${team} and a.status = 'waiting' order by a.expires_at limit 1`)
  return row?.at ?? null
}

/** Until the transaction ends nobody else mails approvers of the team. A statement of its own: the next one sees what the last one has told. */
export const lockNotices = (trx: Transaction, team: string) =>
  trx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`approval notices ${team}`}, 0))`)

/** More of them are taken by the next round. */
export const MAX_UNNOTIFIED = 10_000

/** Takes what nobody was told of yet, the oldest first. */
export async function takeUnnotified(
  trx: Transaction,
  team: string,
): Promise<{ readonly id: string; readonly policyId: string }[]> {
  const rows = await trx.query<{ id: string; policyId: string }>(sql.write`
    update approvals a set told_at = ${trx.clock.now()}
    from (
      select email_id from approvals a where a.team_id = ${team} and a.status = 'waiting' and a.told_at is null
      order by email_id limit ${MAX_UNNOTIFIED} for update) untold
    where a.team_id = ${team} and a.email_id = untold.email_id returning a.email_id as id, a.policy_id as "policyId"`)
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

export interface Notice {
  readonly id: string
  /** Of what its links carry besides. */
  readonly secretDigest: Buffer
  readonly approver: string
  readonly emails: readonly string[]
  /** In real time. */
  readonly expiresAt: Date
}

export async function insertNotice(trx: Transaction, team: string, notice: Notice) {
  const { id, secretDigest, approver, emails, expiresAt } = notice
  await trx.query(sql.write`
    insert into approval_notices (team_id, id, secret_sha256, approver, emails, created_at, expires_at)
    values (${team}, ${id}, ${secretDigest}, ${approver}, ${emails}::uuid[], ${trx.clock.now()}, ${expiresAt})`)
}

export async function findNotice(
  db: Queryable,
  team: string,
  { id, secretDigest }: Pick<Notice, 'id' | 'secretDigest'>,
): Promise<Notice | undefined> {
  const [notice] = await db.query<Notice>(sql`
    select n.id, n.secret_sha256 as "secretDigest", n.approver, n.emails, n.expires_at as "expiresAt" from approval_notices n
    where n.team_id = ${team} and n.id = ${id} and n.secret_sha256 = ${secretDigest} and n.expires_at > ${db.clock.now()}`)
  return notice
}

/** Ends links whose secrets have come to where others can read them. Gives how many there were. */
export async function endDisclosedNotices(db: Queryable, secretDigests: readonly Buffer[]): Promise<number> {
  const now = db.clock.now()
  const rows = await db.query(sql.write`
    /* of all teams */ update approval_notices n set expires_at = ${now}
    where n.secret_sha256 = any (${secretDigests}::bytea[]) and n.expires_at > ${now} returning n.id`)
  return rows.length
}

/** When approvers of the team were mailed last. */
export async function lastNoticeAt(db: Queryable, team: string): Promise<Date | null> {
  const [row] = await db.query<{ at: Date }>(sql`
    select n.created_at as at from approval_notices n where n.team_id = ${team} order by n.created_at desc limit 1`)
  return row?.at ?? null
}

/** Mail that waits, or did, as approvers are told of it. Untrusted, and as long as its sender liked. */
export interface NoticedApproval {
  readonly id: string
  readonly policyId: string
  readonly holder: PolicyHolder
  readonly holderName: string | null
  readonly status: ApprovalStatus
  readonly decidedBy: string | null
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[] | null
  readonly bcc: readonly string[] | null
  readonly subject: string
  readonly scheduledAt: Date | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Those that are gone with their emails are left out. */
export const findNoticed = (db: Queryable, team: string, ids: readonly string[]): Promise<NoticedApproval[]> =>
  db.query(sql`
    select a.email_id as id, a.policy_id as "policyId", a.holder, ${HOLDER_NAME} as "holderName", left(e."from", 1000) as "from", e."to", e.cc, e.bcc,
      left(e.subject, 1000) as subject, e.scheduled_at as "scheduledAt", e.created_at as "createdAt", a.expires_at as "expiresAt",
      case when a.status = 'waiting' and a.expires_at <= ${db.clock.of(team).now()}::timestamptz then 'expired' else a.status end as status,
      a.decided_by as "decidedBy"
    from ${approvalsWithEmails} where a.team_id = ${team} and a.email_id = any (${ids}::uuid[]) order by a.email_id`)

/** The headers that an email was given besides those that we write. */
export async function findHeaders(
  db: Queryable,
  team: string,
  id: string,
): Promise<readonly { readonly name: string; readonly value: string }[]> {
  const [email] = await db.query<{ headers: { name: string; value: string }[] | null }>(
    sql`select e.headers from emails e where e.team_id = ${team} and e.id = ${id}`,
  )
  return email?.headers ?? []
}

/** Deletes some of what was decided long ago, and returns from which team on there may be more. */
export async function deleteDecidedBefore(db: Queryable, expired: Expired): Promise<string | false> {
  const key = sql`email_id`
  const condition = sql`and r.status <> 'waiting'`
  const byAge = byKey(key, expired, condition)
  const old = await db.query<OldRow>(oldRows(sql`approvals`, expired, { key, createdAt: null, condition, byAge }))
  if (old.length > 0) await db.query(sql.write`delete from approvals r where ${isAmong(old, key)}`)
  return nextTeam(old, expired.limit)
}

/** The same of notices whose links are of no use any more. */
export async function deleteNoticesBefore(db: Queryable, expired: Expired): Promise<string | false> {
  const byAge = byKey(sql`id`, expired)
  const old = await db.query<OldRow>(oldRows(sql`approval_notices`, expired, { createdAt: null, byAge }))
  if (old.length > 0) await db.query(sql.write`delete from approval_notices r where ${isAmong(old)}`)
  return nextTeam(old, expired.limit)
}
