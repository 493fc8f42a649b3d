import type { Queryable } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { SessionCount } from '../../../mail/tls-report.ts'

export interface DailyCount extends SessionCount {
  readonly day: string
  readonly domain: string
}

const TYPES = {
  ...({ day: 'text', domain: 'text', policy: 'text', result: 'text', mxHost: 'text', mxAddress: 'text' } as const),
  ...({ localAddress: 'text', reason: 'text', sessions: 'bigint' } as const),
}

/** Adds them to what is there. In the order of their keys, so that two nodes do not wait for each other in a circle. */
export async function addCounts(db: Queryable, counts: readonly DailyCount[]): Promise<void> {
  await db.query(sql.write`
    insert into tls_report_counts as c
      (day, domain, policy, result, mx_host, mx_address, local_address, reason, sessions)
    select day::date, domain, policy, result, "mxHost", "mxAddress", "localAddress", reason, sessions
    from ${rowsOf(counts, TYPES)}
    order by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (day, domain, policy, result, mx_host, mx_address, local_address, reason)
    do update set sessions = c.sessions + excluded.sessions`)
}

/** Of a day: domains behind one of them that have had no report. */
export async function findUnreported(
  db: Queryable,
  { day, after, limit }: { day: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ domain: string }>(sql`
    select distinct c.domain from tls_report_counts c
    where c.day = ${day}::date and c.domain > ${after}
      and not exists (select from tls_reports r where r.day = c.day and r.domain = c.domain)
    order by c.domain limit ${limit}`)
  return rows.map(({ domain }) => domain)
}

/** The most frequent first. */
export const readCounts = (db: Queryable, { day, domain, limit }: { day: string; domain: string; limit: number }) =>
  db.query<SessionCount>(sql`
    select policy, result, mx_host as "mxHost", mx_address as "mxAddress", local_address as "localAddress", reason,
      sessions::float8 as sessions
    from tls_report_counts where day = ${day}::date and domain = ${domain}
    order by (result = 'success') desc, sessions desc, result, mx_host, mx_address limit ${limit}`)

/** False: somebody else has sent it. Until the transaction ends nobody else does. */
export async function claimReport(db: Queryable, { day, domain }: { day: string; domain: string }): Promise<boolean> {
  const rows = await db.query(sql.write`
    insert into tls_reports (day, domain, sent_at) values (${day}::date, ${domain}, ${db.clock.now()})
    on conflict (day, domain) do nothing returning domain`)
  return rows.length > 0
}

export async function deleteReportsBefore(db: Queryable, day: string): Promise<void> {
  await db.query(sql.write`delete from tls_report_counts where day < ${day}::date`)
  await db.query(sql.write`delete from tls_reports where day < ${day}::date`)
}
