import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { hours, job, minutes } from '../../../kernel/jobs/job.ts'
import { domainOf, parseMailbox } from '../../../mail/address.ts'
import type { FoldedReport, ReportedDomain } from '../../../mail/domain-reports/fold.ts'
import { hostName } from '../../../platform/settings/config.ts'
import { type Authentication, authenticationOf, countTemporary } from './authentication.ts'
import { findDomainReport, type StoredDomainReport, takeDomainReport } from './domain-report-queries.ts'
import type { LookupDeadline } from './lookup-deadline.ts'
import { readDomainReportInWorker, readHeaderInWorker } from './parser-pool.ts'
import { READ_DOMAIN_REPORT } from './queries.ts'
import type { InboundServices } from './services.ts'

/** Whoever keeps what is reported about domains. */
export interface DomainReports {
  /** Undefined: it is there no more. */
  find(db: Queryable, domain: DomainOfTeam): Promise<ReportedDomain | undefined>
  /** False: it is too old, was there before, or is more than is kept. */
  apply(
    trx: Transaction,
    domain: DomainOfTeam,
    /** `reporter`: the domain that has sent it, which is proven. */
    reported: { readonly report: FoldedReport; readonly reporter: string },
  ): Promise<boolean>
}

interface DomainOfTeam {
  readonly team: string
  readonly domainId: string
}

const LOOKUPS: LookupDeadline = { ms: 10_000 }

/**
 * Reads a report about a domain. Anybody can write to its address, and what is in it decides what people are advised to do, so it counts only if its sender is
 * proven. The mail is gone once it was applied, so a second run finds nothing to do.
 */
export const readDomainReport = job<{ id: string; team: string }, InboundServices>({
  name: READ_DOMAIN_REPORT,
  retryAfterSeconds: [10, minutes(1), minutes(10), hours(1), hours(6)],
  concurrency: 2,
  maxCrashes: 2,
  giveUp: async ({ id }, trx) => void (await takeDomainReport(trx, id)),
  async run({ id, team }, services) {
    const { db, log, metrics } = services
    const stored = await findDomainReport(db, id)
    if (!stored) return
    const { about, domainId } = stored
    const domain = await services.domainReports.find(db, { team, domainId })
    const read = domain ? await readDomainReportInWorker(stored.raw, { kind: about, domain }) : { report: null }
    const [report, fault] = 'fault' in read ? [null, read.fault] : [read.report, null]
    const reporter = report && (await reporterOf(services, stored))
    const isKept = await db.transaction(async (trx) => {
      if (!(await takeDomainReport(trx, id)) || report === null || reporter === null) return false
      return services.domainReports.apply(trx, { team, domainId }, { report, reporter })
    })
    const outcome =
      fault !== null ? 'unreadable' : report && reporter === null ? 'unproven' : isKept ? 'kept' : 'ignored'
    metrics.countDomainReport(about, outcome)
    log.debug(
      { domain: domainId, kind: about, reporter, isKept, ...(fault !== null && { fault }) },
      'inbound: report about a domain read',
    )
  },
})

/** The domain that has written the mail. Null: SPF and DKIM do not prove it. While name servers do not answer, the job is tried again. */
async function reporterOf({ resolver, config }: InboundServices, stored: StoredDomainReport): Promise<string | null> {
  const { from } = await readHeaderInWorker(stored.raw)
  const authentication = await authenticationOf(
    { ...stored, from },
    { resolver, hostname: hostName(config), deadline: LOOKUPS },
  )
  const author = provenAuthor(authentication, from)
  if (author === null && countTemporary(authentication) > 0) throw new Error('Name servers did not answer')
  return author
}

/** By DMARC; or, where the domain has no such record, by SPF or a signature of the domain itself, of one above it or below it. */
export function provenAuthor({ dmarc, spf, dkim }: Authentication, from: string): string | null {
  const address = parseMailbox(from)?.address
  if (address === undefined) return null
  const author = domainOf(address).toLowerCase()
  if (dmarc.result === 'pass') return author
  const isProven = [spf, ...dkim].some(
    ({ result, domain }) => result === 'pass' && domain !== null && isRelated(domain.toLowerCase(), author),
  )
  return dmarc.result === 'none' && isProven ? author : null
}

const isRelated = (one: string, other: string) =>
  one === other || one.endsWith(`.${other}`) || (one.includes('.') && other.endsWith(`.${one}`))
