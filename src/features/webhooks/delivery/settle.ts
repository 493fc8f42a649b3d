import { recordSystemAudit } from '../../../kernel/audit/record.ts'
import { type Database, pooled, type Transaction } from '../../../kernel/db/database.ts'
import { hours } from '../../../kernel/jobs/job.ts'
import type { Clock, TeamClock } from '../../../platform/clock.ts'
import { Batcher } from '../../../platform/concurrency/batcher.ts'
import { newId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/observability/log.ts'
import type { Attempt } from './attempt.ts'
import { type Claimed, type DisabledWebhook, type Settlement, settleAll } from './queries.ts'
import { verdictOn } from './verdict.ts'

/** An endpoint for which every attempt has failed this long is disabled. */
export const DISABLE_AFTER_SECONDS = 5 * hours(24)

const LIMITS = { maxItems: 200, maxWrites: 1 }

/** What an attempt meant: taken, to be tried again, given up, or an endpoint that wants nothing any more. */
export type WebhookOutcome = 'delivered' | 'retried' | 'failed' | 'gone'
/** Told of each attempt that was written down. */
export type WebhookObserver = (outcome: WebhookOutcome) => void

const outcomeOf = ({ isSuccess, isGone, nextAttemptAt }: Settlement): WebhookOutcome =>
  isSuccess ? 'delivered' : isGone ? 'gone' : nextAttemptAt ? 'retried' : 'failed'

/** Writes down what came of attempts, in batches. */
export class Settler {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #observe: WebhookObserver | undefined
  readonly #batcher: Batcher<Settlement, true>

  constructor({ db, clock, log, observe }: { db: Database; clock: Clock; log: Log; observe?: WebhookObserver }) {
    this.#observe = observe
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#batcher = new Batcher((settlements) => this.#write(settlements), LIMITS)
  }

  async settle(settlement: Settlement): Promise<void> {
    await this.#batcher.add(settlement)
  }

  async #write(settlements: readonly Settlement[]): Promise<true[]> {
    const by = { now: this.#clock.now(), disableAfterSeconds: DISABLE_AFTER_SECONDS }
    // What is all well disables nothing, and needs no transaction around its one statement.
    const isAllWell = settlements.every(({ isSuccess }) => isSuccess)
    const disabled = isAllWell
      ? await settleAll(pooled(this.#db), settlements, by)
      : await this.#db.transaction(async (trx) => recorded(trx, await settleAll(trx, settlements, by)))
    for (const webhook of disabled)
      this.#log.warn(webhook, 'disabled a webhook: its endpoint is gone, or has failed for days')
    for (const settlement of settlements) this.#observe?.(outcomeOf(settlement))
    return settlements.map(() => true)
  }
}

async function recorded(trx: Transaction, disabled: readonly DisabledWebhook[]) {
  for (const { team, id, endpoint } of disabled)
    await recordSystemAudit(trx, team, { action: 'webhooks.disabled', objectId: id, details: { endpoint } })
  return disabled
}

export function settlementOf(
  row: Claimed,
  attempt: Attempt,
  { clock, random }: { clock: TeamClock; random: number },
): Settlement {
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
