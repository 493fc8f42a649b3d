import { applyReport } from '../../delivery/reports.ts'
import { authenticationOf } from '../../inbound/authentication.ts'
import { findReport, READ_RECEIVED, READ_REPORT, setAuthentication, takeReport } from '../../inbound/queries.ts'
import { readReceived } from '../../inbound/read.ts'
import { parseMail } from '../../mail/parse.ts'
import { readReport as reportIn } from '../../mail/report.ts'
import { hostName } from '../../platform/config.ts'
import { hours, job, minutes } from '../../platform/jobs/job.ts'

const READING_LADDER = [1, 10, minutes(1), minutes(10), hours(1)]

/** Reading it twice finds that it has been read; asking twice what SPF and the others say writes the same again. */
export const readArrived = job<{ team: string; id: string }>({
  name: READ_RECEIVED,
  retryAfterSeconds: READING_LADDER,
  async run({ team, id }, context) {
    const received = await readReceived(context, team, id)
    if (!received) return
    const { db, resolver, config } = context
    await setAuthentication(db, team, id, await authenticationOf(received, { resolver, hostname: hostName(config) }))
  },
})

/** The report is gone once it was applied, so a second run finds nothing to do. */
export const readReport = job<{ id: string }>({
  name: READ_REPORT,
  retryAfterSeconds: READING_LADDER,
  async run({ id }, { db, clock, log }) {
    const stored = await findReport(db, id)
    if (!stored) return
    const report = reportIn(await parseMail(stored.raw), stored.raw)
    await db.transaction(async (trx) => {
      if (!(await takeReport(trx, id))) return
      const told = report ? await applyReport(trx, stored.emailId, report, clock.now()) : 0
      log.debug(
        { email: stored.emailId, kind: report?.kind ?? 'none', recipients: told },
        'read what came back to a return path',
      )
    })
  },
})
