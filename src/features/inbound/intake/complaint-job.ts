import { hours, job, minutes } from '../../../kernel/jobs/job.ts'
import type { ComplaintOutcome } from '../../../platform/observability/metrics.ts'
import { complainedEmails } from '../../emails/delivery/outcomes/complaint-evidence.ts'
import { applyReport, isComplaint } from '../../emails/delivery/outcomes/reports.ts'
import { readReportInWorker } from './parser-pool.ts'
import { findProvenSender, findReceived } from './queries.ts'
import { hasRaw, rawOf } from './read.ts'
import type { InboundServices } from './services.ts'

/** What a complaint says stands before the mail that it is about, and of that the header is enough. */
const MAX_READ_BYTES = 256 * 1024
/** Two of them are in memory at once. A larger one can still be read as the message that it is. */
const MAX_COMPLAINT_BYTES = 8 * 1024 * 1024

/**
 * Looks for the emails that a complaint is about which came to an ordinary address, as feedback loops are registered and as abuse@ is
 * written to. The message stays what it is, a received email. Who has complained already does not complain again, so a second run
 * changes nothing.
 */
export const readComplaint = job<{ team: string; id: string }, InboundServices>({
  name: 'received-emails.read-complaint',
  retryAfterSeconds: [1, 10, minutes(1), minutes(10), hours(1)],
  concurrency: 2,
  async run({ team, id }, { db, blobs, sealer, log, metrics }) {
    const about = { team, received: id }
    const stored = await findReceived(db, team, id)
    if (!stored || !hasRaw(stored)) return
    if (stored.size > MAX_COMPLAINT_BYTES) return noteComplaint('too_large', about, { log, metrics })
    const raw = (await rawOf(blobs, stored)).subarray(0, MAX_READ_BYTES)
    const report = await readReportInWorker(raw)
    if (report?.kind !== 'complaint' || !isComplaint(report)) return

    const reporter = await findProvenSender(db, team, id)
    const emails = complainedEmails(report, { team, reporter, returnPathSecrets: sealer.deriveKeys('return-path') })
    const outcomes = await db.transaction(async (trx) => {
      const found: (ComplaintOutcome | null)[] = []
      for (const email of emails) {
        const { recipients, complaint } = await applyReport(trx, email, report)
        found.push(complaint)
        log.debug({ email: email.emailId, by: email.by, recipients }, 'inbound: complaint read')
      }
      return found
    })
    noteComplaint(best(outcomes), { ...about, email: emails[0]?.emailId ?? null }, { log, metrics })
  },
})

const best = (outcomes: readonly (ComplaintOutcome | null)[]): ComplaintOutcome =>
  outcomes.includes('matched') ? 'matched' : outcomes.includes('no_recipient') ? 'no_recipient' : 'no_email'

/** Counts a complaint, and says which one found nobody: somebody goes on getting mail that they do not want. */
export function noteComplaint(
  outcome: ComplaintOutcome,
  about: object,
  { log, metrics }: Pick<InboundServices, 'log' | 'metrics'>,
) {
  metrics.countComplaint(outcome)
  if (outcome !== 'matched') log.warn({ ...about, outcome }, 'inbound: complaint matches no recipient')
}
