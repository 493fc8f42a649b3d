import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { type Expired, ofTeam } from '../../../kernel/jobs/retention.ts'
import type { DmarcPolicy } from '../../../mail/dmarc-record.ts'
import type { Origin, ReportedDomain, SourceRow, TlsRow } from '../../../mail/domain-reports/fold.ts'
import type { DomainReportKind } from '../../../mail/domain-reports/read.ts'
import { registrableDomain } from '../../../mail/registrable-domain.ts'
import type { DomainOfTeam } from '../recheck.ts'
import { returnPathHost } from '../records.ts'

export interface NewReport {
  readonly kind: DomainReportKind
  readonly reporter: string
  readonly reportId: string
  /** `2026-11-17`. */
  readonly day: string
  readonly policy: DmarcPolicy | null
  readonly messages: number
}

/** What a domain has of one day: reports of a kind, how many of them come from one site, and rows of each table. */
export async function countOfDay(
  db: Queryable,
  { team, domainId }: DomainOfTeam,
  { kind, day, reporter }: Pick<NewReport, 'kind' | 'day' | 'reporter'>,
): Promise<{ reports: number; ofSite: number; sources: number; results: number }> {
  const ofDay = sql`domain_id = ${domainId} and day = ${day}::date`
  // Whoever has a domain can prove any number of names below it.
  const site = `.${registrableDomain(reporter)}`
  const [row] = await db.query<{ reports: number; ofSite: number; sources: number; results: number }>(sql`
    select (select count(*)::float8 from dmarc_sources where team_id = ${team} and ${ofDay}) as sources,
      (select count(*)::float8 from tls_report_results where team_id = ${team} and ${ofDay}) as results,
      counted.reports, counted."ofSite"
    from (
      select count(*)::float8 as reports,
        (count(*) filter (where right('.' || reporter, length(${site})) = ${site}))::float8 as "ofSite"
      from domain_reports where team_id = ${team} and ${ofDay} and kind = ${kind}) counted`)
  return row!
}

/** False: it was there already. */
export async function insertReport(
  trx: Transaction,
  { team, domainId }: DomainOfTeam,
  { kind, reporter, reportId, day, policy, messages }: NewReport,
): Promise<boolean> {
  const rows = await trx.query(sql.write`
    insert into domain_reports (team_id, domain_id, kind, reporter, report_id, day, policy, messages, received_at)
    values (${team}, ${domainId}, ${kind}, ${reporter}, ${reportId}, ${day}::date, ${policy}, ${messages}, ${trx.clock.now()})
    on conflict do nothing returning day`)
  return rows.length > 0
}

interface OfReport {
  readonly day: string
  readonly reporter: string
}

export const addSources = (
  trx: Transaction,
  { team, domainId }: DomainOfTeam,
  { day, reporter, rows }: OfReport & { readonly rows: readonly SourceRow[] },
) =>
  trx.query(sql.write`
    insert into dmarc_sources as known (team_id, domain_id, day, reporter, source, origin, disposition, is_spf_aligned, is_dkim_aligned,
      spf_domain, dkim_domain, messages)
    select ${team}::uuid, ${domainId}::uuid, ${day}::date, ${reporter}, source, origin, disposition, "isSpfAligned", "isDkimAligned",
      "spfDomain", "dkimDomain", messages
    from ${rowsOf(rows, {
      source: 'text',
      origin: 'text',
      disposition: 'text',
      isSpfAligned: 'boolean',
      isDkimAligned: 'boolean',
      spfDomain: 'text',
      dkimDomain: 'text',
      messages: 'bigint',
    })}
    on conflict on constraint dmarc_sources_pkey do update set messages = known.messages + excluded.messages`)

export const addTlsResults = (
  trx: Transaction,
  { team, domainId }: DomainOfTeam,
  { day, reporter, rows }: OfReport & { readonly rows: readonly TlsRow[] },
) =>
  trx.query(sql.write`
    insert into tls_report_results as known (team_id, domain_id, day, reporter, policy_type, result, mx, sessions)
    select ${team}::uuid, ${domainId}::uuid, ${day}::date, ${reporter}, "policyType", result, mx, sessions
    from ${rowsOf(rows, { policyType: 'text', result: 'text', mx: 'text', sessions: 'bigint' })}
    on conflict on constraint tls_report_results_pkey do update set sessions = known.sessions + excluded.sessions`)

/** With the names of the keys that have signed for it, also of those that sign no more. */
export async function findReportedDomain(
  db: Queryable,
  { team, domainId }: DomainOfTeam,
): Promise<ReportedDomain | undefined> {
  const [row] = await db.query<{ name: string; return_path: string; selectors: string[] }>(sql`
    select d.name, d.return_path,
      coalesce((select json_agg(k.selector) from domain_keys k where k.team_id = d.team_id and k.domain_id = d.id), '[]') as selectors
    from domains d where d.team_id = ${team} and d.id = ${domainId}`)
  return row && { name: row.name, returnPathHost: returnPathHost(row), selectors: row.selectors }
}

/** Reports of a domain are kept one after the other, since they are counted before. False: it is there no more. */
export async function lockReportedDomain(trx: Transaction, { team, domainId }: DomainOfTeam): Promise<boolean> {
  const rows = await trx.query(sql`
    select id from domains where team_id = ${team} and id = ${domainId} for no key update`)
  return rows.length > 0
}

const from = (table: Sql, { team, domainId }: DomainOfTeam, since: string): Sql =>
  sql`${table} where team_id = ${team} and domain_id = ${domainId} and day >= ${since}::date`

/** As the wire has days. */
const day = (column: Sql): Sql => sql`to_char(${column}, 'YYYY-MM-DD')`

export interface ReporterRow {
  readonly kind: DomainReportKind
  readonly name: string
  readonly reports: number
  readonly messages: number
  readonly first_day: string
  readonly last_day: string
}

const MAX_REPORTERS = 100

export const listReporters = (db: Queryable, domain: DomainOfTeam, since: string) =>
  db.query<ReporterRow>(sql`
    select kind, reporter as name, count(*)::float8 as reports, sum(messages)::float8 as messages,
      ${day(sql`min(day)`)} as first_day, ${day(sql`max(day)`)} as last_day
    from ${from(sql`domain_reports`, domain, since)}
    group by kind, reporter order by kind, sum(messages) desc, reporter limit ${MAX_REPORTERS}`)

export interface ShownSource {
  readonly address: string | null
  readonly origin: Origin
  readonly messages: number
  readonly aligned: number
  readonly spf_domains: string[]
  readonly dkim_domains: string[]
  readonly first_day: string
  readonly last_day: string
}

export const MAX_SOURCES = 100
/** Names of domains of one source. */
const MAX_NAMES = 5

const named = (column: Sql): Sql => sql`coalesce(
  (array_agg(distinct ${column}) filter (where ${column} <> ''))[1:${MAX_NAMES}], '{}')`

export const listSources = (db: Queryable, domain: DomainOfTeam, since: string) =>
  db.query<ShownSource>(sql`
    select nullif(source, '') as address, origin, sum(messages)::float8 as messages,
      coalesce(sum(messages) filter (where is_spf_aligned or is_dkim_aligned), 0)::float8 as aligned,
      ${named(sql`spf_domain`)} as spf_domains, ${named(sql`dkim_domain`)} as dkim_domains,
      ${day(sql`min(day)`)} as first_day, ${day(sql`max(day)`)} as last_day
    from ${from(sql`dmarc_sources`, domain, since)}
    group by source, origin order by sum(messages) desc, source, origin limit ${MAX_SOURCES}`)

export interface DmarcTotals {
  readonly messages: number
  readonly aligned: number
  readonly spf_aligned: number
  readonly dkim_aligned: number
  readonly quarantined: number
  readonly rejected: number
  readonly days: number
}

export async function sumDmarc(db: Queryable, domain: DomainOfTeam, since: string): Promise<DmarcTotals> {
  const sum = (condition: Sql) => sql`coalesce(sum(messages) filter (where ${condition}), 0)::float8`
  const [row] = await db.query<DmarcTotals>(sql`
    select ${sum(sql`true`)} as messages, ${sum(sql`is_spf_aligned or is_dkim_aligned`)} as aligned,
      ${sum(sql`is_spf_aligned`)} as spf_aligned, ${sum(sql`is_dkim_aligned`)} as dkim_aligned,
      ${sum(sql`disposition = 'quarantine'`)} as quarantined, ${sum(sql`disposition = 'reject'`)} as rejected,
      count(distinct day)::float8 as days
    from ${from(sql`dmarc_sources`, domain, since)}`)
  return row!
}

/** Since which day all reports have this policy. Null: none has it. */
export async function findPolicySince(
  db: Queryable,
  { team, domainId }: DomainOfTeam,
  policy: DmarcPolicy,
): Promise<string | null> {
  const ofDomain = sql`domain_id = ${domainId} and kind = 'dmarc'`
  const latestOther = sql`select max(day) from domain_reports where team_id = ${team} and ${ofDomain} and policy <> ${policy}`
  const [row] = await db.query<{ since: string | null }>(sql`
    select ${day(sql`min(day)`)} as since from domain_reports
    where team_id = ${team} and ${ofDomain} and policy = ${policy}
      and day > coalesce((${latestOther}), '-infinity')`)
  return row!.since
}

export interface ShownTlsResult {
  readonly result: string
  readonly mx: string | null
  readonly sessions: number
  readonly first_day: string
  readonly last_day: string
}

export async function sumTls(db: Queryable, domain: DomainOfTeam, since: string) {
  const rows = await db.query<ShownTlsResult>(sql`
    select result, nullif(mx, '') as mx, sum(sessions)::float8 as sessions, ${day(sql`min(day)`)} as first_day,
      ${day(sql`max(day)`)} as last_day
    from ${from(sql`tls_report_results`, domain, since)}
    group by result, mx order by sum(sessions) desc, result, mx limit ${MAX_SOURCES}`)
  const failures = rows.filter(({ result }) => result !== '')
  const sum = (some: readonly ShownTlsResult[]) => some.reduce((total, { sessions }) => total + sessions, 0)
  return { sessions: sum(rows), failed: sum(failures), failures }
}

export async function deleteReportsBefore(db: Queryable, { moment, limit, team }: Expired): Promise<boolean> {
  const old = sql`day < ${moment}::date ${ofTeam(team)} limit ${limit}`
  const batches = [
    await db.query(sql.write`
      delete from domain_reports where (team_id, domain_id, kind, day, reporter, report_id) in (
        select team_id, domain_id, kind, day, reporter, report_id from domain_reports where ${old})
      returning 1 as deleted`),
    // Whole days of a reporter: the rows of one are few.
    await db.query(sql.write`
      delete from dmarc_sources where (team_id, domain_id, day, reporter) in (
        select team_id, domain_id, day, reporter from dmarc_sources where ${old})
      returning 1 as deleted`),
    await db.query(sql.write`
      delete from tls_report_results where (team_id, domain_id, day, reporter) in (
        select team_id, domain_id, day, reporter from tls_report_results where ${old})
      returning 1 as deleted`),
  ]
  return batches.some((rows) => rows.length >= limit)
}
