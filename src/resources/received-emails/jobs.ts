import { applyReport } from '../../delivery/reports.ts'
import { authenticationOf } from '../../inbound/authentication.ts'
import { findReport, READ_RECEIVED, READ_REPORT, setAuthentication, takeReport } from '../../inbound/queries.ts'
import { type Received, readReceived } from '../../inbound/read.ts'
import { parseMail } from '../../mail/parse.ts'
import { readReport as reportIn } from '../../mail/report.ts'
import { hostName } from '../../platform/config.ts'
import { hours, job, minutes } from '../../platform/jobs/job.ts'
import { Semaphore } from '../../platform/semaphore.ts'

const READING_LADDER = [1, 10, minutes(1), minutes(10), hours(1)]

/** Parsing takes the processor, memory and connections: a few at once are all that is of use. */
const reading = new Semaphore(4)

/** What waits for name servers is in memory meanwhile. Larger messages wait in one of the places for reading. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * Six questions to name servers, one after another, are most of the time that a message takes: with servers 20 ms away, four at
 * once read 22 to 27 messages a second on two busy cores, and 32 read 92 to 106.
 * Reading it twice finds that it has been read; asking twice what SPF and the others say writes the same again.
 */
export const readArrived = job<{ team: string; id: string }>({
  name: READ_RECEIVED,
  retryAfterSeconds: READING_LADDER,
  places: 32,
  async run({ team, id }, context) {
    const { db, resolver, config } = context
    const authenticate = async (received: Received) =>
      setAuthentication(db, team, id, await authenticationOf(received, { resolver, hostname: hostName(config) }))
    const readAlone = async (received: Received) => {
      if (received.raw.length <= MAX_WAITING_BYTES) return received
      await authenticate(received)
      return null
    }
    const small = await reading.run(1, () => readReceived(context, team, id, readAlone))
    if (small) await authenticate(small)
  },
})

/** The report is gone once it was applied, so a second run finds nothing to do. */
export const readReport = job<{ id: string }>({
  name: READ_REPORT,
  retryAfterSeconds: READING_LADDER,
  places: 4,
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
