import type { Database, Transaction } from '../../../kernel/db/database.ts'
import { hours, type Job, job, minutes } from '../../../kernel/jobs/job.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { rangesOf } from '../../../kernel/partitions/ranges.ts'
import { deleteLogBefore, deleteLogOf, hasBatches, WEBHOOKS_CHANNEL } from './queries.ts'
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

interface DeletedWebhook {
  readonly team: string
  readonly webhookId: string
}

const BATCH = 5_000
/** By then nothing of a webhook is under way any more that was when it was deleted. */
const DELETE_LOG_AFTER_MS = hours(1) * 1_000
const MINUTE_MS = 60_000

/** Deletes the log of a webhook that is gone, wherever there are partitions. Running it twice goes on with what is left. */
export const deleteLog: Job<DeletedWebhook, { readonly db: Database }> = job({
  name: 'webhooks.delete-log',
  retryAfterSeconds: [1, 5, 30, minutes(2), minutes(10), ...Array<number>(72).fill(hours(1))],
  async run(webhook, { db, signal }) {
    const isUnderWay = await hasBatches(db, webhook)
    while (await deleteLogOf(db, webhook, BATCH)) signal.throwIfAborted()
    if (isUnderWay) await db.transaction((trx) => deleteLogIn(trx, webhook, MINUTE_MS))
  },
})

const deleteLogIn = (trx: Transaction, webhook: DeletedWebhook, ms: number) =>
  enqueue(trx, deleteLog, webhook, { runAt: new Date(trx.clock.now().getTime() + ms), key: webhook.webhookId })

/** What it was told can be a million rows, so they go later. Nobody can see them meanwhile. */
export const deleteLogLater = (trx: Transaction, team: string, webhookId: string) =>
  deleteLogIn(trx, { team, webhookId }, DELETE_LOG_AFTER_MS)

/** The log of an event is kept as long as the event. */
const sweep = (table: Parameters<typeof deleteLogBefore>[1]) =>
  retention({
    name: `${table}.sweep`,
    kind: 'events',
    ranges: rangesOf(table),
    deleteBefore: (db, expired) => deleteLogBefore(db, table, expired),
  })

export const sweepWebhookDeliveries = sweep('webhook_deliveries')
export const sweepWebhookAttempts = sweep('webhook_attempts')
