import { type Database, pooled, type Transaction } from '../../../../kernel/db/database.ts'
import { JOBS_CHANNEL, type NewJob } from '../../../../kernel/jobs/queries.ts'
import { type EventType, type NewEvent, OUTBOX_CHANNEL } from '../../../../kernel/outbox/record.ts'
import { parseMailbox } from '../../../../mail/address.ts'
import { relayedMessageId } from '../../../../mail/relayed-message-id.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { Batcher } from '../../../../platform/concurrency/batcher.ts'
import { isSandbox } from '../../../../platform/ids.ts'
import type { TraceContext } from '../../../../platform/observability/tracing.ts'
import type { Decided } from '../deliver.ts'
import { briefEventData, type Email, emailEventData } from '../email.ts'
import { latestOf, statusOf } from '../ledger/last-events.ts'
import { type Claimed, type RelayedEmail, settleAll } from '../ledger/queries.ts'
import { addSuppressions, type NewSuppression } from '../ledger/suppressions.ts'
import type { AttemptFacts } from './attempt-facts.ts'
import { keptOfAttempt } from './attempt-kept.ts'
import type { SettledAttempt } from './attempt-record.ts'
import type { DeliveryObserver } from './observer.ts'
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts'
import { type Consequence, consequenceOf, NOTHING_MORE, type Verdict } from './verdict.ts'

/** The verdicts on the claimed recipients of one email. */
export interface EmailOutcome {
  readonly email: Email
  /** The attempt's span, which caused the events. */
  readonly trace?: TraceContext | undefined
  readonly verdicts: readonly Decided[]
}

const LIMITS = { maxItems: 200, maxWrites: 1 }
/** Copies of a broadcast end one by one, a thousand in a second. No longer than a write takes: what was heard and is not written goes out again after a crash. */
const COPIES_REST_MS = 10

/** Writes down what became of recipients, in batches: ledger, events, status and suppressions commit together. */
export class Settler {
  readonly #db: Database
  readonly #clock: Clock
  readonly #observer: DeliveryObserver | undefined
  readonly #retry: RetryPolicy
  readonly #emails: Batcher<EmailOutcome, true>
  readonly #copies: Batcher<EmailOutcome, true>

  constructor(
    db: Database,
    clock: Clock,
    { observer, retry = DEFAULT_RETRY }: { observer?: DeliveryObserver | undefined; retry?: RetryPolicy } = {},
  ) {
    this.#observer = observer
    this.#retry = retry
    this.#db = db
    this.#clock = clock
    const write = (results: readonly EmailOutcome[]) => this.#write(results)
    this.#emails = new Batcher(write, LIMITS)
    this.#copies = new Batcher(write, { ...LIMITS, restMs: COPIES_REST_MS })
  }

  settle(result: EmailOutcome): Promise<unknown> {
    return (result.email.broadcastId ? this.#copies : this.#emails).add(result)
  }

  async #write(results: readonly EmailOutcome[]): Promise<true[]> {
    const all = results.flatMap(({ email, verdicts, trace }) =>
      verdicts.map(({ row, verdict, destination, later = [], facts }) => {
        const { settledRow, events, suppression } = bound(this.#inTimeOf(row, verdict), destination)
        const kept = keptOfAttempt(facts, verdict, row.attempts)
        return {
          verdict,
          facts,
          email,
          trace,
          later,
          events,
          suppression,
          settledRow: kept ? { ...settledRow, ...kept } : settledRow,
          relayed: relayedBy(row, verdict),
        }
      }),
    )
    let open = all
    while (open.length > 0) {
      const held = await this.#settleIfWhole(open)
      if (held.length === open.length) break
      // Some rows are somebody else's by now. The event depends on who is in it, so it is put together again without them.
      open = held.map((index) => open[index]!)
    }
    for (const { settledRow } of open) this.#observer?.settled(settledRow)
    const record = this.#observer?.recorder?.()
    if (record) this.#record(all, new Set(open), record)
    return results.map(() => true)
  }

  #record(all: readonly UnsettledRow[], settled: ReadonlySet<UnsettledRow>, record: (attempt: SettledAttempt) => void) {
    for (const one of all) {
      const { email, verdict, facts, settledRow, suppression } = one
      const isSettled = settled.has(one)
      const at = this.#clock.of(settledRow.row.team).now()
      const isSuppressed = isSettled && suppression !== null
      record({ email, row: settledRow.row, verdict, facts, settledRow, isSuppressed, isSettled, at })
    }
  }

  async #settleIfWhole(open: readonly UnsettledRow[]): Promise<number[]> {
    const settledRows = open.map(({ settledRow }) => ({
      ...settledRow,
      at: this.#clock.of(settledRow.row.team).now(),
    }))
    const dataOf = this.#db.presence.storesCompactly ? briefEventData : emailEventData
    const events = eventsOf(open, dataOf)
    const jobs = open.flatMap(({ later }) => later)
    const emissions = {
      events,
      latest: latestOf(events.flatMap(latestBy)),
      jobs,
      relayed: open.flatMap(({ relayed }) => relayed ?? []),
    }
    if (open.some(({ suppression }) => suppression)) {
      return this.#db.transaction(async (trx) => {
        const held = await settleAll(trx, settledRows, emissions)
        if (held.length === open.length) await suppress(trx, open)
        trx.announce(OUTBOX_CHANNEL)
        if (jobs.length > 0) trx.announce(JOBS_CHANNEL)
        return held
      })
    }
    const channels = [...(events.length > 0 ? [OUTBOX_CHANNEL] : []), ...(jobs.length > 0 ? [JOBS_CHANNEL] : [])]
    return this.#db.signals.announceWith(channels, (notified) =>
      settleAll(pooled(this.#db), settledRows, { ...emissions, notified }),
    )
  }

  /**
   * What follows from a verdict. In a sandbox the retry schedule and the end of it are in the sandbox's time; what was not tried for a reason of
   * ours comes back in real time, there as everywhere.
   */
  #inTimeOf(row: Claimed, verdict: Verdict): Consequence {
    const real = this.#clock.now()
    const retry = this.#retry
    if (!isSandbox(row.team)) return consequenceOf(row, verdict, { now: real, retry })
    const own = this.#clock.of(row.team)
    const now = own.now()
    const inOwnTime = { ...row, giveUpAt: own.fromReal(row.giveUpAt) }
    const { settledRow, ...rest } = consequenceOf(inOwnTime, verdict, { now, retry })
    const { dueAt, isAttempt } = settledRow
    const inRealTime = (moment: Date) => new Date(real.getTime() + moment.getTime() - now.getTime())
    return {
      ...rest,
      settledRow: { ...settledRow, row, dueAt: dueAt && (isAttempt ? own.toReal(dueAt) : inRealTime(dueAt)) },
    }
  }
}

/**
 * Settles rows that the transaction has locked, with all that follows from their verdicts. For operators: what they decide takes nobody's
 * slot, and goes into their transaction. Nobody is put on the suppression list.
 */
export async function settleIn(
  trx: Transaction,
  outcomes: readonly EmailOutcome[],
  { isCompact }: { readonly isCompact: boolean },
): Promise<void> {
  const now = trx.clock.now()
  const open = outcomes.flatMap(({ email, verdicts, trace }) =>
    verdicts.map(({ row, verdict }) => {
      const consequence = consequenceOf(row, verdict, { now })
      return { email, trace, verdict, facts: undefined, later: [], relayed: null, ...consequence }
    }),
  )
  if (open.length === 0) return
  const events = eventsOf(open, isCompact ? briefEventData : emailEventData)
  const settledRows = open.map(({ settledRow }) => ({ ...settledRow, at: now }))
  const latest = latestOf(events.flatMap(latestBy))
  const held = await settleAll(trx, settledRows, { events, latest, jobs: [], relayed: [] })
  if (held.length < open.length) throw new Error('settling locked rows failed: some have changed')
}

type UnsettledRow = Consequence & {
  readonly verdict: Verdict
  readonly facts: AttemptFacts | undefined
  readonly email: Email
  readonly trace: TraceContext | undefined
  readonly later: readonly NewJob[]
  readonly relayed: RelayedEmail | null
}

/** Only what is put back has a use for where it goes. */
const bound = (consequence: Consequence, destination: string | undefined): Consequence =>
  destination !== undefined && consequence.settledRow.state === 'waiting'
    ? { ...consequence, settledRow: { ...consequence.settledRow, destination } }
    : consequence

function relayedBy({ team, emailId }: Claimed, verdict: Verdict): RelayedEmail | null {
  if (verdict.kind !== 'delivered' || verdict.host === undefined) return null
  const messageId = relayedMessageId(verdict.host, verdict.reply)
  return messageId === null ? null : { team, emailId, messageId }
}

async function suppress(trx: Transaction, settled: readonly UnsettledRow[]) {
  const byTeam = new Map<string, NewSuppression[]>()
  for (const { email, suppression } of settled) {
    if (suppression) byTeam.set(email.team, [...(byTeam.get(email.team) ?? []), suppression])
  }
  for (const [team, suppressions] of byTeam) await addSuppressions(trx, team, suppressions)
}

function latestBy({ team, about, type }: NewEvent) {
  const event = statusOf(type)
  return about && event ? [{ team, id: about, event }] : []
}

interface UnsentEvent extends Pick<UnsettledRow, 'email' | 'trace'> {
  readonly type: EventType
  readonly extra: object
  readonly recipients: string[]
}

/** Recipients of one email that met the same fate share an event. A blind copy has its own: it is in nobody else's. */
function eventsOf(settled: readonly UnsettledRow[], dataOf: typeof emailEventData): NewEvent[] {
  const groups = new Map<string, UnsentEvent>()
  for (const { email, trace, settledRow, events } of settled) {
    const copy = isBlind(email, settledRow.row.recipient) ? settledRow.row.recipient : ''
    for (const { type, extra } of events) {
      const key = `${email.id} ${type} ${copy} ${extra === NOTHING_MORE ? '' : JSON.stringify(extra)}`
      const group = groups.get(key) ?? { email, trace, type, extra, recipients: [] }
      group.recipients.push(settledRow.row.recipient)
      groups.set(key, group)
    }
  }
  return [...groups.values()].map(({ email, trace, type, extra, recipients }) => ({
    team: email.team,
    type,
    data: extra === NOTHING_MORE ? dataOf(email, recipients) : { ...dataOf(email, recipients), ...extra },
    about: email.id,
    trace,
  }))
}

function isBlind({ to, cc, bcc }: Email, recipient: string): boolean {
  const isRecipient = (text: string) => parseMailbox(text)?.address.toLowerCase() === recipient.toLowerCase()
  return bcc !== null && !to.some(isRecipient) && !cc?.some(isRecipient)
}
