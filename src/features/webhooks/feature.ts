import { feature, unlabelled } from '../feature.ts'
import { dueWebhooks } from './delivery/due-moments.ts'
import { wantedEvents } from './delivery/fan-out.ts'
import { deleteLog, replayMissedEvents, sweepWebhookAttempts, sweepWebhookDeliveries } from './delivery/jobs.ts'
import { readWebhookQueue } from './delivery/queue-state.ts'
import { webhookEndpoints } from './endpoints.ts'
import { webhookEventEndpoints } from './events/endpoints.ts'
import { createWebhooks } from './worker.ts'

export const webhooksFeature = feature({
  endpoints: [...webhookEndpoints, ...webhookEventEndpoints],
  jobs: [replayMissedEvents, deleteLog],
  retention: [sweepWebhookDeliveries, sweepWebhookAttempts],
  workers: [{ name: 'webhooks', role: 'jobs', isHoldable: true, create: createWebhooks }],
  queues: [
    {
      name: 'postwren_webhook_deliveries',
      help: 'Webhook deliveries',
      labelNames: [],
      read: unlabelled(readWebhookQueue),
    },
  ],
  subscriptions: [{ subscription: wantedEvents, mayMakeDue: true }],
  dueMoments: [dueWebhooks],
  times: [
    { table: 'webhook_attempts', team: ['sent_at'] },
    { table: 'webhook_batches', real: ['claimed_at'] },
    { table: 'webhook_deliveries', due: ['next_attempt_at', 'due_at'], team: ['sent_at'] },
    { table: 'webhook_next_due', real: ['due_at'] },
    { table: 'webhook_secrets', due: ['expires_at'] },
    { table: 'webhooks', team: ['failing_since', 'created_at', 'updated_at'] },
  ],
  sealedColumns: [{ table: 'webhook_secrets', column: 'secret', context: `'webhook:' || webhook_id` }],
  liveUpdates: [
    {
      events: /^(?:approval|broadcast|contact|domain|email|inbox(?!\.agent)|suppression|topic)\./,
      endpoints: ['webhooks'],
    },
  ],
})
