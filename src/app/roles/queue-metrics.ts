import { readAutomationQueue } from '../../features/automations/engine/queue-state.ts'
import { readDeliveryQueues } from '../../features/emails/delivery/queue-state.ts'
import { readFilingQueue } from '../../features/inboxes/filing/queue-state.ts'
import { JOBS } from '../../features/index.ts'
import { readWebhookQueue } from '../../features/webhooks/delivery/queue-state.ts'
import type { Database } from '../../kernel/db/database.ts'
import { readJobQueues } from '../../kernel/jobs/queue-state.ts'
import type { Metrics, QueueState } from '../../platform/observability/metrics.ts'

/**
 * The queues of the installation, as every process shows them, whatever its roles: were they shown by those who work them off, nobody
 * would see a queue that nobody works off.
 */
export function addQueueMetrics(metrics: Metrics, db: Database) {
  metrics.addQueue({ name: 'postwren_deliveries', help: 'Recipients in the ledger', labelNames: ['kind'] }, async () =>
    (await readDeliveryQueues(db)).map(({ kind, ...queue }) => stateOf(queue, { kind })),
  )
  const jobs = JOBS.map(({ name }) => name)
  metrics.addQueue({ name: 'postwren_jobs', help: 'Jobs', labelNames: ['name'] }, async () =>
    (await readJobQueues(db, jobs)).map(({ name, ...queue }) => stateOf(queue, { name })),
  )
  metrics.addQueue(
    { name: 'postwren_webhook_deliveries', help: 'Events on their way to webhooks', labelNames: [] },
    async () => [stateOf(await readWebhookQueue(db), {})],
  )
  metrics.addQueue(
    { name: 'postwren_automations', help: 'Events and runs that automations have to deal with', labelNames: [] },
    async () => [stateOf(await readAutomationQueue(db), {})],
  )
  metrics.addQueue(
    { name: 'postwren_unfiled_mail', help: 'Mail that is not filed into inboxes yet', labelNames: [] },
    async () => [stateOf(await readFilingQueue(db), {})],
  )
}

function stateOf<Label extends string>(
  { oldestDueSeconds, ...counts }: { readonly oldestDueSeconds: number },
  labels: Record<Label, string>,
): QueueState<Label> {
  return { labels, counts, oldestDueSeconds }
}
