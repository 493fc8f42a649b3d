import { retention } from '../../../kernel/jobs/retention.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { deleteLogBefore } from './queries.ts'

/** The log of an event is kept as long as the event. That of a webhook that was deleted goes, too. */
const sweep = (table: Parameters<typeof deleteLogBefore>[1]) =>
  retention({
    name: `${table}.sweep`,
    keepSeconds: (config) => config.EVENT_RETENTION,
    deleteBefore: (db, { moment, limit, team }) =>
      deleteLogBefore(db, table, { eventId: firstIdAt(moment), limit, team }),
  })

export const sweepWebhookDeliveries = sweep('webhook_deliveries')
export const sweepWebhookAttempts = sweep('webhook_attempts')
