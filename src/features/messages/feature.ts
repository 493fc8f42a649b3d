import { indexJob } from '../../kernel/search/job.ts'
import { feature } from '../feature.ts'
import { TEAM_IDS } from '../teams/reads.ts'
import { checkEndpoints } from './checks/endpoints.ts'
import { messageEndpoints } from './endpoints.ts'
import { sweepBodies, sweepEmails, sweepReceived } from './retention.ts'
import { sentSource } from './search.ts'

export const messagesFeature = feature({
  endpoints: [...messageEndpoints, ...checkEndpoints],
  jobs: [indexJob(sentSource, TEAM_IDS, 60)],
  retention: [sweepEmails, sweepBodies, sweepReceived],
  liveUpdates: [{ events: /^email\./, endpoints: ['messages.list'] }],
})
