import { hours, job, minutes } from '../../../kernel/jobs/job.ts'
import { complainedEmails } from '../../emails/delivery/outcomes/complaint-evidence.ts'
import { applyReport } from '../../emails/delivery/outcomes/reports.ts'
import { readReportInWorker } from './parser-pool.ts'
import { findProvenSender, findReceived } from './queries.ts'
import { rawOf } from './read.ts'
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
  async run({ team, id }, { db, blobs, sealer, log }) {
    const stored = await findReceived(db, team, id)
    if (!stored || stored.size > MAX_COMPLAINT_BYTES) return
    const raw = (await rawOf(blobs, stored)).subarray(0, MAX_READ_BYTES)
    const report = await readReportInWorker(raw)
    if (report?.kind !== 'complaint') return

    const reporter = await findProvenSender(db, team, id)
    const emails = complainedEmails(report, { team, reporter, returnPathSecrets: sealer.deriveKeys('return-path') })
    await db.transaction(async (trx) => {
      for (const about of emails) {
        const recipients = await applyReport(trx, about, report)
        log.debug({ email: about.emailId, by: about.by, recipients }, 'inbound: complaint read')
      }
    })
  },
})
