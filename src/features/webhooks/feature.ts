import { feature, unlabelled } from '../feature.ts'
import { sweepWebhookAttempts, sweepWebhookDeliveries } from './delivery/jobs.ts'
import { readWebhookQueue } from './delivery/queue-state.ts'
import { webhookEndpoints } from './endpoints.ts'
import { webhookEventEndpoints } from './events/endpoints.ts'
import { createWebhooks } from './worker.ts'

export const webhooksFeature = feature({
  endpoints: [...webhookEndpoints, ...webhookEventEndpoints],
  retention: [sweepWebhookDeliveries, sweepWebhookAttempts],
  workers: [{ name: 'webhooks', role: 'jobs', isHoldable: true, create: createWebhooks }],
  queues: [
    {
      name: 'postwren_webhook_deliveries',
      help: 'Events on their way to webhooks',
      labelNames: [],
      read: unlabelled(readWebhookQueue),
    },
  ],
})
