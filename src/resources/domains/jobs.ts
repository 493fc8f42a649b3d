import { hours, job, minutes } from '../../platform/jobs/job.ts'
import { enqueue } from '../../platform/jobs/queries.ts'
import { takeDue } from './queries.ts'
import { checkDomain } from './verification.ts'

/** Running it twice finds the same in the DNS and writes the same. */
export const verifyDomain = job<{ team: string; domainId: string }>({
  name: 'domains.verify',
  retryAfterSeconds: [5, 30, minutes(5)],
  run: ({ team, domainId }, context) => checkDomain(context, team, domainId),
})

const BATCH = 100

/** Sees to the domains whose time has come, of all teams. A domain that is taken twice is looked at twice. */
export const recheckDomains = job({
  name: 'domains.recheck',
  everySeconds: 30,
  retryAfterSeconds: [],
  async run(_payload, { db, clock, signal }) {
    const now = clock.now()
    const putOffTo = new Date(now.getTime() + hours(1) * 1_000)
    for (let found = BATCH; found === BATCH; signal.throwIfAborted()) {
      found = await db.transaction(async (trx) => {
        const due = await takeDue(trx, now, putOffTo, BATCH)
        for (const { team, id } of due) await enqueue(trx, verifyDomain, { team, domainId: id })
        return due.length
      })
    }
  },
})
