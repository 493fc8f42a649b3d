import { recordSystemAudit } from '../../../kernel/audit/record.ts'
import { type Database, pooled, type Transaction } from '../../../kernel/db/database.ts'
import { hours } from '../../../kernel/jobs/job.ts'
import type { Clock, TeamClock } from '../../../platform/clock.ts'
import { Batcher } from '../../../platform/concurrency/batcher.ts'
import { newId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/observability/log.ts'
import type { Attempt } from './attempt.ts'
import { finishStraight, moveToLedger, settledBatches } from './batches.ts'
import { type Claimed, type DisabledWebhook, type SettledDelivery, settleAll } from './queries.ts'
import { verdictOn } from './verdict.ts'

/** An endpoint for which every attempt has failed this long is disabled. */
export const DISABLE_AFTER_SECONDS = 5 * hours(24)

/** Under load a statement is not for a few deliveries each. Whoever waits for a slot does not wait for it. */
const LIMITS = { maxItems: 200, maxWrites: 1, restMs: 20 }

/** What an attempt meant: taken, to be tried again, given up, or an endpoint that wants nothing any more. */
export type WebhookOutcome = 'delivered' | 'retried' | 'failed' | 'gone'
/** Told of each attempt that was written down. */
export type WebhookObserver = (outcome: WebhookOutcome) => void

const outcomeOf = ({ isSuccess, isGone, nextAttemptAt }: SettledDelivery): WebhookOutcome =>
  isSuccess ? 'delivered' : isGone ? 'gone' : nextAttemptAt ? 'retried' : 'failed'

/** Writes down what came of attempts, in batches. */
export class Settler {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #observe: WebhookObserver | undefined
  readonly #batcher: Batcher<SettledDelivery, true>

  constructor({ db, clock, log, observe }: { db: Database; clock: Clock; log: Log; observe?: WebhookObserver }) {
    this.#observe = observe
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#batcher = new Batcher((deliveries) => this.#write(deliveries), LIMITS)
  }

  settle(delivery: SettledDelivery): Promise<unknown> {
    return this.#batcher.add(delivery)
  }

  async #write(deliveries: readonly SettledDelivery[]): Promise<true[]> {
    const disabled = await this.#settle(deliveries)
    for (const { row } of deliveries) if (row.batch) row.batch.unsettled--
    for (const webhook of disabled)
      this.#log.warn(webhook, 'webhooks: webhook disabled, its endpoint is gone or has failed for days')
    if (this.#observe) for (const delivery of deliveries) this.#observe(outcomeOf(delivery))
    return deliveries.map(() => true)
  }

  /** What is all well disables nothing, and needs no transaction around its one statement. */
  async #settle(deliveries: readonly SettledDelivery[]): Promise<readonly DisabledWebhook[]> {
    const by = { now: this.#clock.now(), disableAfterSeconds: DISABLE_AFTER_SECONDS }
    const batches = settledBatches(deliveries)
    const straight = deliveries.filter(isStraight)
    if (straight.length === deliveries.length && (await finishStraight(pooled(this.#db), straight, batches))) return []
    const others = deliveries.filter((one) => !isStraight(one))
    if (batches.size === 0 && others.every(({ isSuccess }) => isSuccess)) return settleAll(pooled(this.#db), others, by)
    return this.#db.transaction(async (trx) => {
      await moveToLedger(trx, batched(others))
      const isFinished = batches.size === 0 || (await finishStraight(trx, straight, batches))
      return recorded(trx, await settleAll(trx, isFinished ? others : deliveries, by))
    })
  }
}

/** Its first attempt went well: all that is to be known of it is written at once. */
const isStraight = ({ row, isSuccess }: SettledDelivery): boolean => row.batch !== undefined && isSuccess

const batched = (deliveries: readonly SettledDelivery[]) =>
  deliveries.filter(({ row }) => row.batch).map(({ row }) => row)

async function recorded(trx: Transaction, disabled: readonly DisabledWebhook[]) {
  for (const { team, id, endpoint } of disabled)
    await recordSystemAudit(trx, team, { action: 'webhooks.disabled', objectId: id, details: { endpoint } })
  return disabled
}

export function settledDeliveryOf(
  row: Claimed,
  attempt: Attempt,
  { clock, random }: { clock: TeamClock; random: number },
): SettledDelivery {
  const { outcome, sentAt, durationMs } = attempt
  const isAnswered = outcome.kind === 'answered'
  const at = clock.now()
  const { nextAttemptAt, ...verdict } = verdictOn(row, attempt, { now: at, random })
  return {
    row,
    ...verdict,
    nextAttemptAt: nextAttemptAt && clock.toReal(nextAttemptAt),
    attemptId: newId(clock, at),
    at,
    sentAt: clock.fromReal(sentAt),
    durationMs,
    status: isAnswered ? outcome.status : null,
    response: isAnswered ? storable(outcome.body) : null,
    error: isAnswered ? null : outcome.reason,
  }
}

/** Whatever the bytes are, PostgreSQL takes them as text: what is not UTF-8 is marked, and the character zero left out. */
const storable = (body: Buffer) => body.toString('utf8').replaceAll('\0', '')
