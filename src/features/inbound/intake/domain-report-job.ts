import type { Transaction } from '../../../kernel/db/database.ts'
import { hours, job, minutes } from '../../../kernel/jobs/job.ts'
import { domainOf, parseMailbox } from '../../../mail/address.ts'
import type { DomainReport } from '../../../mail/domain-reports/read.ts'
import { hostName } from '../../../platform/settings/config.ts'
import { type Authentication, authenticationOf, countTemporary } from './authentication.ts'
import { findDomainReport, type StoredDomainReport, takeDomainReport } from './domain-report-queries.ts'
import type { LookupDeadline } from './lookup-deadline.ts'
import { readDomainReportInWorker, readHeaderInWorker } from './parser-pool.ts'
import { READ_DOMAIN_REPORT } from './queries.ts'
import type { InboundServices } from './services.ts'

/** Whoever keeps what is reported about domains. */
export interface DomainReports {
  /** False: it is about something else, was there before, or is more than is kept. */
  apply(
    trx: Transaction,
    domain: { readonly team: string; readonly domainId: string },
    /** `reporter`: the domain that has sent it, which is proven. */
    reported: { readonly report: DomainReport; readonly reporter: string },
  ): Promise<boolean>
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
    const read = await readDomainReportInWorker(stored.raw, about)
    const reporter = 'fault' in read ? null : await reporterOf(services, stored)
    const isKept = await db.transaction(async (trx) => {
      if (!(await takeDomainReport(trx, id)) || 'fault' in read || reporter === null) return false
      return services.domainReports.apply(trx, { team, domainId }, { report: read.report, reporter })
    })
    metrics.countDomainReport(
      about,
      'fault' in read ? 'unreadable' : reporter === null ? 'unproven' : isKept ? 'kept' : 'ignored',
    )
    const fault = 'fault' in read ? { fault: read.fault } : {}
    log.debug({ domain: domainId, kind: about, reporter, isKept, ...fault }, 'inbound: report about a domain read')
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
