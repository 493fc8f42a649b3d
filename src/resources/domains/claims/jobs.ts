import { hours, job, minutes } from '../../../platform/jobs/job.ts'
import { enqueue } from '../../../platform/jobs/queries.ts'
import { takeDueClaims } from './queries.ts'
import { checkClaim } from './transfer.ts'

/** Running it twice is harmless: the second time finds the claim settled, or the DNS as it was. */
export const verifyClaim = job<{ team: string; domainId: string }>({
  name: 'domains.claims.verify',
  retryAfterSeconds: [5, 30, minutes(5)],
  run: ({ team, domainId }, context) => checkClaim(context, team, domainId),
})

const BATCH = 100

/** Sees to the claims whose time has come, of all teams: to look again, or to let them expire. */
export const recheckClaims = job({
  name: 'domains.claims.recheck',
  everySeconds: 30,
  retryAfterSeconds: [],
  async run(_payload, { db, clock, signal }) {
    const now = clock.now()
    const putOffTo = new Date(now.getTime() + hours(1) * 1_000)
    for (let found = BATCH; found === BATCH; signal.throwIfAborted()) {
      found = await db.transaction(async (trx) => {
        const due = await takeDueClaims(trx, now, putOffTo, BATCH)
        for (const claim of due) await enqueue(trx, verifyClaim, claim)
        return due.length
      })
    }
  },
})
