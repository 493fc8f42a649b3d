import { minutes } from '../../../kernel/jobs/job.ts'
import { job } from '../../definitions.ts'
import { AGENT_JOB } from '../filing/agent-job.ts'
import { giveUpRun } from './queries.ts'
import { lookAt } from './run.ts'

/**
 * Has the agent of an inbox look at a message that was filed there. Most of the time it waits for the model, so it has places of its own.
 * May run twice, also at the same time: there is one run for a message, and each act is done in the transaction that writes it down
 * there and finds out first whether it was done.
 */
export const askAgent = job<{ team: string; inbox: string; email: string }>({
  name: AGENT_JOB,
  retryAfterSeconds: [10, minutes(1), minutes(10), minutes(60)],
  places: 8,
  // It reads what strangers wrote.
  maxCrashes: 2,
  // It may forward mail, and tells a server of others what is in it.
  isHoldable: true,
  run: (place, services) => lookAt(services, place),
  async giveUp(place, trx) {
    await giveUpRun(trx, place)
  },
})
