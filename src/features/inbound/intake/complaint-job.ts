import { hours, job, minutes } from '../../../kernel/jobs/job.ts'
import type { ComplaintOutcome } from '../../../platform/observability/metrics.ts'
import { complainedEmails } from '../../emails/delivery/outcomes/complaint-evidence.ts'
import { type AppliedReport, applyReport, isComplaint } from '../../emails/delivery/outcomes/reports.ts'
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
    if (stored.size > MAX_COMPLAINT_BYTES) return noteComplaint(TOO_LARGE, about, { log, metrics })
    const raw = (await rawOf(blobs, stored)).subarray(0, MAX_READ_BYTES)
    const report = await readReportInWorker(raw)
    if (report?.kind !== 'complaint' || !isComplaint(report)) return

    const reporter = await findProvenSender(db, team, id)
    const emails = complainedEmails(report, { team, reporter, returnPathSecrets: sealer.deriveKeys('return-path') })
    const applied = await db.transaction(async (trx) => {
      const found: AppliedReport[] = []
      for (const email of emails) {
        const one = await applyReport(trx, email, report)
        found.push(one)
        log.debug({ email: email.emailId, by: email.by, recipients: one.recipients }, 'inbound: complaint read')
      }
      return found
    })
    noteComplaint(best(applied), { ...about, email: emails[0]?.emailId ?? null }, { log, metrics })
  },
})

interface CountedComplaint {
  readonly outcome: ComplaintOutcome
  readonly provider: string | null
}

const TOO_LARGE: CountedComplaint = { outcome: 'too_large', provider: null }

function best(applied: readonly AppliedReport[]): CountedComplaint {
  const matched = applied.find(({ complaint }) => complaint === 'matched')
  if (matched) return { outcome: 'matched', provider: matched.provider }
  const isFound = applied.some(({ complaint }) => complaint === 'no_recipient')
  return { outcome: isFound ? 'no_recipient' : 'no_email', provider: null }
}

/** Counts a complaint, and says which one found nobody: somebody goes on getting mail that they do not want. */
export function noteComplaint(
  { outcome, provider }: CountedComplaint,
  about: object,
  { log, metrics }: Pick<InboundServices, 'log' | 'metrics'>,
) {
  metrics.countComplaint(outcome, provider)
  if (outcome !== 'matched') log.warn({ ...about, outcome }, 'inbound: complaint matches no recipient')
}
