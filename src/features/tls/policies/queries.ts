import type { Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { Expired } from '../../../kernel/jobs/retention.ts'
import type { StsPolicy } from '../../../mail/mta-sts.ts'

/** A policy as it is kept. */
export interface StoredPolicy extends StsPolicy {
  readonly domain: string
  readonly recordId: string
  readonly expiresAt: Date
  readonly usedAt: Date
}

const COLUMNS = sql`p.domain, p.record_id as "recordId", p.mode, p.mx, p.max_age_seconds as "maxAgeSeconds",
  p.expires_at as "expiresAt", p.used_at as "usedAt"`

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3_600

/** Null: there is none, or it has expired. */
export async function findPolicy(db: Queryable, domain: string): Promise<StoredPolicy | null> {
  const [row] = await db.query<StoredPolicy>(sql`
    select ${COLUMNS} from mta_sts_policies p where p.domain = ${domain} and p.expires_at > ${db.clock.now()}`)
  return row ?? null
}

/** Fetched now. Of two that were fetched at once the later one counts. */
export async function keepPolicy(
  db: Queryable,
  { domain, recordId, policy }: { domain: string; recordId: string; policy: StsPolicy },
): Promise<void> {
  const now = db.clock.now()
  const { mode, mx, maxAgeSeconds } = policy
  await db.query(sql.write`
    insert into mta_sts_policies
      (domain, record_id, mode, mx, max_age_seconds, fetched_at, expires_at, refresh_at, used_at)
    values (${domain}, ${recordId}, ${mode}, ${[...mx]}::text[], ${maxAgeSeconds}, ${now},
      ${now}::timestamptz + make_interval(secs => ${maxAgeSeconds}),
      ${now}::timestamptz + make_interval(secs => greatest(least(${maxAgeSeconds} / 2, ${DAY_SECONDS}), ${HOUR_SECONDS})), ${now})
    on conflict (domain) do update set record_id = excluded.record_id, mode = excluded.mode, mx = excluded.mx,
      max_age_seconds = excluded.max_age_seconds, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at,
      refresh_at = excluded.refresh_at`)
}

export const noteUse = (db: Queryable, domain: string) =>
  db.query(sql.write`update mta_sts_policies set used_at = ${db.clock.now()} where domain = ${domain}`)

/** Takes some that are due, and puts them off: whoever is cut off, or hears nothing, leaves them to a later turn. */
export const takeDuePolicies = (
  db: Queryable,
  { usedSince, putOffTo, limit }: { usedSince: Date; putOffTo: Date; limit: number },
) =>
  db.query<StoredPolicy>(sql.write`
    update mta_sts_policies p set refresh_at = ${putOffTo}
    from (
      select domain from mta_sts_policies
      where refresh_at <= ${db.clock.now()} and used_at > ${usedSince}
      order by refresh_at limit ${limit} for update skip locked) due
    where p.domain = due.domain
    returning ${COLUMNS}`)

/** Deletes all but so many, those that were used longest ago first. */
export const trimPolicies = (db: Queryable, most: number) =>
  db.query(sql.write`
    delete from mta_sts_policies where domain in (
      select domain from mta_sts_policies order by used_at desc, domain offset ${most})`)

/** Deletes some that expired before, and returns whether there may be more. */
export async function deletePoliciesBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from mta_sts_policies where domain in (
      select domain from mta_sts_policies where expires_at < ${moment} limit ${limit})
    returning domain`)
  return rows.length === limit
}

export async function countPolicies(db: Queryable): Promise<{ mode: string; count: number }[]> {
  return db.query(sql`
    select mode, count(*)::int as count from mta_sts_policies where expires_at > ${db.clock.now()} group by mode`)
}
