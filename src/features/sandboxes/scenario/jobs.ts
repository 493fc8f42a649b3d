import { minutes } from '../../../kernel/jobs/job.ts'
import { endJob } from '../../../kernel/jobs/queries.ts'
import { job } from '../../definitions.ts'
import { loadEmail } from '../../emails/delivery/ledger/load.ts'
import { Intake } from '../../inbound/intake/intake.ts'
import { ACT_JOB, type ActPayload } from '../simulation/act.ts'
import { readMessage } from './message.ts'
import { isRead, perform } from './perform.ts'

/**
 * What the other side does after a mail was delivered: it is enqueued with the delivery, by the simulation's transport. The job ends in
 * the transaction of what it does, so a second run finds nothing to do.
 */
export const actLater = job<ActPayload>({
  name: ACT_JOB,
  retryAfterSeconds: [1, 10, minutes(1), minutes(10)],
  concurrency: 8,
  async run(payload, services) {
    const { db, publicUrl } = services
    const email = await loadEmail(db, payload.team, payload.email)
    // It was deleted since.
    if (!email) return
    const message = payload.acts.some(isRead) ? await readMessage(services, email, payload) : null
    const stage = { email, message, payload, intake: new Intake(services), host: new URL(publicUrl()).hostname }
    await db.transaction(async (trx) => {
      if (!(await endJob(trx, payload.id))) return
      for (const act of payload.acts) await perform(trx, stage, act)
    })
  },
})
