import type { Static } from 'typebox'
import type { Queryable } from '../../../kernel/db/database.ts'
import { found } from '../../../kernel/http/problem.ts'
import { readDmarcRecord } from '../../../mail/dmarc-record.ts'
import { findDomain, type StoredDomain } from '../queries.ts'
import type { DomainOfTeam } from '../recheck.ts'
import { DMARC_KEY } from '../records.ts'
import { suggestedDmarc } from '../suggestions.ts'
import { nextStep } from './next-step.ts'
import { findPolicySince, listReporters, listSources, type ReporterRow, sumDmarc, sumTls } from './queries.ts'
import type { DomainReports } from './schema.ts'

const DAY_MS = 86_400_000
/** What a stricter policy is decided by, however far back somebody looks. */
const EVIDENCE_DAYS = 30

/** Who sends as the domain, what passes and fails, and what to do next. */
export async function describeReports(
  db: Queryable,
  of: DomainOfTeam,
  days: number,
): Promise<Static<typeof DomainReports>> {
  const domain = found(await findDomain(db, of.team, of.domainId), 'Domain')
  const dayBefore = (count: number) => new Date(db.clock.now().getTime() - count * DAY_MS).toISOString().slice(0, 10)
  const since = dayBefore(days)
  const reporters = await listReporters(db, of, since)
  const { days: _days, ...totals } = await sumDmarc(db, of, since)
  const record = publishedRecord(domain)
  return {
    object: 'domain_reports',
    domain_id: of.domainId,
    since,
    dmarc: {
      ...totals,
      reporters: reporters.filter(({ kind }) => kind === 'dmarc').map(shown),
      policy: record?.policy ?? null,
      sources: await listSources(db, of, since),
    },
    tls: { ...(await sumTls(db, of, since)), reporters: reporters.filter(({ kind }) => kind === 'tls').map(shown) },
    next_step: await nextStepOf(db, of, { domain, record, since: dayBefore(EVIDENCE_DAYS) }),
  }
}

const shown = ({ kind: _kind, ...reporter }: ReporterRow) => reporter

/** The record as it was last seen in the DNS, if reports come here by it. */
const publishedRecord = ({ checks }: StoredDomain) =>
  checks[DMARC_KEY]?.status === 'verified' ? readDmarcRecord(checks[DMARC_KEY].value ?? '') : null

async function nextStepOf(
  db: Queryable,
  of: DomainOfTeam,
  {
    domain,
    record,
    since,
  }: {
    readonly domain: StoredDomain
    readonly record: ReturnType<typeof publishedRecord>
    readonly since: string
  },
) {
  const check = domain.checks[DMARC_KEY]
  const missingRecord = check?.status === 'verified' ? null : (check?.value ?? suggestedDmarc(domain, null))
  const policySince = record && (await findPolicySince(db, of, record.policy))
  const from = policySince && policySince > since ? policySince : since
  const [totals, sources] = [await sumDmarc(db, of, from), await listSources(db, of, from)]
  const unauthorized = sources.filter(({ origin }) => origin === 'unauthorized')
  return nextStep({ missingRecord, record, ...totals, unauthorized })
}
