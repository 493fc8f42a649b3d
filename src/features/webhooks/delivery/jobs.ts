import type { Database } from '../../../kernel/db/database.ts'
import { job, minutes } from '../../../kernel/jobs/job.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { allRangesOf } from '../../../kernel/partitions/ranges.ts'
import { deleteLogBefore, WEBHOOKS_CHANNEL } from './queries.ts'
import { replayUndelivered, type UndeliveredRange } from './replay.ts'

/**
 * Replays what a webhook has missed, one slice in each run, which enqueues the next run in its transaction. Idempotent: deliveries that are
 * marked for replay are not found again.
 */
export const replayMissedEvents = job<UndeliveredRange & { readonly team: string }, { readonly db: Database }>({
  name: 'webhooks.replay',
  retryAfterSeconds: [1, 5, 30, minutes(2), minutes(10)],
  async run({ team, ...range }, { db }) {
    await db.transaction(async (trx) => {
      const from = await replayUndelivered(trx, team, range)
      if (from !== undefined) await enqueue(trx, replayMissedEvents, { team, ...range, from }, { key: range.webhookId })
      trx.announce(WEBHOOKS_CHANNEL)
    })
  },
})

/** The log of an event is kept as long as the event. That of a webhook that was deleted goes, too. */
const sweep = (table: Parameters<typeof deleteLogBefore>[1]) =>
  retention({
    name: `${table}.sweep`,
    kind: 'events',
    ranges: allRangesOf(table),
    deleteBefore: (db, expired) => deleteLogBefore(db, table, expired),
  })

export const sweepWebhookDeliveries = sweep('webhook_deliveries')
export const sweepWebhookAttempts = sweep('webhook_attempts')
