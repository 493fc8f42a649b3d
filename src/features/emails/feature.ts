import { feature, queueState } from '../feature.ts'
import { attachmentEndpoints } from './attachment-endpoints.ts'
import { sweepDestinationPauses, takeUpMail } from './delivery/jobs.ts'
import { readDeliveryQueues } from './delivery/queue/queue-state.ts'
import { emailEndpoints } from './endpoints.ts'
import { emailPublicRoutes } from './public-routes.ts'
import { scheduleEndpoint } from './schedule.ts'
import { shareEndpoint } from './share.ts'
import { sourceEndpoint } from './source.ts'
import { createDelivery } from './worker.ts'

export const emailsFeature = feature({
  endpoints: [...emailEndpoints, scheduleEndpoint, shareEndpoint, sourceEndpoint, ...attachmentEndpoints],
  publicRoutes: emailPublicRoutes,
  jobs: [takeUpMail, sweepDestinationPauses],
  workers: [{ name: 'delivery', role: 'delivery', isHoldable: true, create: createDelivery }],
  queues: [
    {
      name: 'postwren_deliveries',
      help: 'Recipients in the ledger',
      labelNames: ['kind'],
      read: async (db) => (await readDeliveryQueues(db)).map(({ kind, ...queue }) => queueState(queue, { kind })),
    },
  ],
})
