import { minutes } from '../../../kernel/jobs/job.ts'
import { job } from '../../definitions.ts'
import { AGENT_JOB } from './enqueue.ts'
import { giveUpRun } from './queries.ts'
import { runAgent } from './run.ts'

/**
 * Has the agent of an inbox look at a message that was filed there. Most of the time it waits for the model, so it has slots of its own.
 * May run twice, also at the same time: there is one run for a message, and each act is done in the transaction that writes it down
 * there and finds out first whether it was done.
 */
export const askAgent = job<{ team: string; inbox: string; email: string }>({
  name: AGENT_JOB,
  retryAfterSeconds: [10, minutes(1), minutes(10), minutes(60)],
  concurrency: 8,
  // It reads untrusted mail.
  maxCrashes: 2,
  // It may forward mail, and tells a server of others what is in it.
  isHoldable: true,
  run: (ref, services) => runAgent(services, services, ref),
  async giveUp(ref, trx) {
    await giveUpRun(trx, ref)
  },
})
