import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { hours, type Job, job } from '../../../kernel/jobs/job.ts'
import { writeStsPolicy } from '../../../mail/mta-sts.ts'
import { type ReportSubject, type ReportTargets, reportMessageOf, tlsReportOf } from '../../../mail/tls-report.ts'
import type { Metrics } from '../../../platform/observability/metrics.ts'
import { hostName } from '../../../platform/settings/config.ts'
import { acceptSystemMessage, type SystemMailServices, systemSender } from '../../people/mail.ts'
import { findPolicy } from '../policies/queries.ts'
import { claimReport, deleteReportsBefore, findUnreported, readCounts } from './queries.ts'
import type { TlsReports } from './reports.ts'

export interface ReportServices extends SystemMailServices {
  readonly tlsReports: Pick<TlsReports, 'targetsOf' | 'post'>
  readonly metrics: Pick<Metrics, 'countTlsReport'>
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** What could not be sent for so long is not sent any more. */
const MAX_REPORT_AGE_DAYS = 2
const KEEP_DAYS = 7
const DOMAINS_PER_PAGE = 100
/** Ways in which sessions of a day failed; the rarest of more are left out. */
const MAX_COUNTS = 200
/** Reports of all senders come at midnight, unless they are spread (RFC 8460, 4.1). */
const SPREAD_HOURS = 4

const pack = promisify(gzip)

/**
 * Sends the reports of the last days to those who want them. A report by mail is accepted in the transaction that notes it as sent: once, whoever is
 * first and wherever it is cut off. One by HTTPS may be posted again after a crash, and has the same id then.
 */
export const sendTlsReports: Job<object, ReportServices> = job({
  name: 'tls-reports.send',
  everySeconds: hours(1),
  retryAfterSeconds: [],
  isHoldable: true,
  async run(_payload, { signal, ...services }) {
    const { db, config } = services
    if (config.DELIVERY !== 'direct' || config.TLS_REPORTS === 'off') return
    const now = db.clock.now().getTime()
    await deleteReportsBefore(db, dayOf(now - KEEP_DAYS * DAY_MS))
    for (let ago = MAX_REPORT_AGE_DAYS; ago >= 1; ago--) {
      const day = dayOf(now - ago * DAY_MS)
      const hoursSince = (now - Date.parse(`${day}T00:00:00Z`) - DAY_MS) / HOUR_MS
      for (let after = '', isMore = true; isMore; ) {
        const domains = await findUnreported(db, { day, after, limit: DOMAINS_PER_PAGE })
        for (const domain of domains.filter((one) => delayOf(one) <= hoursSince)) {
          signal.throwIfAborted()
          await report(services, { day, domain, isLast: ago === MAX_REPORT_AGE_DAYS })
        }
        after = domains.at(-1) ?? after
        isMore = domains.length === DOMAINS_PER_PAGE
      }
    }
  },
})

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** In hours, always the same for a domain. */
const delayOf = (domain: string) => Number.parseInt(hash('sha256', domain).slice(0, 4), 16) % SPREAD_HOURS

async function report(
  services: ReportServices,
  { day, domain, isLast }: { day: string; domain: string; isLast: boolean },
) {
  const { db, config, tlsReports, metrics } = services
  const targets = await tlsReports.targetsOf(domain)
  if (targets === 'unknown') return
  if (targets === 'none') return void (await claimReport(db, { day, domain }))
  const subject = await subjectOf(services, day, domain)
  const packed = await pack(JSON.stringify(tlsReportOf(subject)))
  const isPosted = await post(services, targets, packed)
  // The rest of the day may be better, and tomorrow.
  if (!isPosted && !isLast) return
  const mails = targets.mailboxes.map((to) => ({
    to,
    ...reportMessageOf(subject, { from: systemSender(config).mailbox, to, packed }),
  }))
  const isOurs = await db.transaction(async (trx) => {
    if (!(await claimReport(trx, { day, domain }))) return false
    for (const { to, title, raw, bodyStart } of mails)
      await acceptSystemMessage(services, { to, subject: title, raw, bodyStart, headers: [TLS_NOT_REQUIRED] }, trx)
    return true
  })
  if (isOurs) for (const _ of mails) metrics.countTlsReport('mailed')
}

const TLS_NOT_REQUIRED = { name: 'TLS-Required', value: 'No' }

async function subjectOf({ db, config }: ReportServices, day: string, domain: string): Promise<ReportSubject> {
  const [counts, policy] = await Promise.all([
    readCounts(db, { day, domain, limit: MAX_COUNTS }),
    findPolicy(db, domain),
  ])
  const lines = policy && writeStsPolicy(policy).split('\r\n').filter(Boolean)
  return {
    submitter: hostName(config),
    contact: systemSender(config).address,
    ...{ domain, day, counts },
    policy: policy && { lines: lines!, mx: policy.mx },
  }
}

async function post(
  { tlsReports, log, metrics }: ReportServices,
  { urls }: ReportTargets,
  packed: Buffer,
): Promise<boolean> {
  const problems = await Promise.all(urls.map(async (url) => ({ url, reason: await tlsReports.post(url, packed) })))
  for (const { url, reason } of problems) {
    metrics.countTlsReport(reason === null ? 'posted' : 'failed')
    if (reason !== null) log.warn({ host: new URL(url).host, reason }, 'tls: posting a report failed')
  }
  return problems.every(({ reason }) => reason === null)
}
