import type { EventType } from '../../../../kernel/outbox/record.ts'
import type { Bounce, Outcome, ReplyClassification, Untried } from '../../../../mail/outcome.ts'
import { DatabaseAway, isUnavailable } from '../../../../platform/database-errors.ts'
import { bounceDetails } from '../ledger/bounce-details.ts'
import type { Claimed, SettledRow } from '../ledger/queries.ts'
import { keptOf } from '../ledger/stored-classification.ts'
import type { NewSuppression } from '../ledger/suppressions.ts'
import type { BlockedVerdict } from '../transport/destination-outages.ts'
import type { Parked } from '../transport/destination-queues.ts'
import { DEFAULT_RETRY, nextAttempt, type RetryPolicy } from './retry.ts'

/** What became of one recipient: what the other side said, or why it was not asked. */
export type Verdict =
  | Outcome
  | { readonly kind: 'complained'; readonly reply: string }
  | { readonly kind: 'suppressed'; readonly origin: NewSuppression['origin'] }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Not tried now, and that is nobody's fault: it does not count as an attempt. */
  | Untried
  | Parked
  | BlockedVerdict

/** What follows from a verdict: the row's next state, the events about it, and whether the address is bad for good. */
export interface Consequence {
  readonly settledRow: SettledRow
  readonly events: readonly { readonly type: EventType; readonly extra: object }[]
  readonly suppression: NewSuppression | null
}

const UNTRIED_SECONDS = 60
/** It is written down when the database is back, and then there is nothing to wait for. */
const UNTRIED_WITHOUT_DATABASE_SECONDS = 1

/** For mail whose destination did not want to hear of us in all its time. */
const EXPIRED = '451 4.4.7 Not delivered in time'

/** What a failure on our side means for a recipient: later, and when something else than a missing service is wrong, not for ever. */
export function untried(error: unknown): Extract<Verdict, { kind: 'postponed' | 'deferred' }> {
  if (error instanceof DatabaseAway) return { kind: 'postponed', seconds: UNTRIED_WITHOUT_DATABASE_SECONDS }
  if (isUnavailable(error)) return { kind: 'postponed', seconds: UNTRIED_SECONDS }
  return { kind: 'deferred', reply: `451 4.3.0 Not tried: ${(error as Error).message}`, isThrottled: false }
}

/** What time it is, and when to try again. */
interface Moment {
  readonly now: Date
  readonly retry?: RetryPolicy
}

export function consequenceOf(row: Claimed, verdict: Verdict, moment: Moment): Consequence {
  const { now } = moment
  switch (verdict.kind) {
    case 'delivered':
      return {
        settledRow: settled(row, 'delivered', verdict.reply),
        events: [event('email.delivered')],
        suppression: null,
      }
    case 'complained':
      return {
        settledRow: settled(row, 'delivered', verdict.reply),
        events: [event('email.delivered'), event('email.complained')],
        suppression: null,
      }
    case 'bounced':
      return understood(verdict, bounced(row, verdict.reply, verdict.bounce))
    case 'deferred':
      return understood(verdict, deferred(row, verdict, moment))
    case 'suppressed':
      return {
        settledRow: settled(row, 'suppressed', 'on the suppression list'),
        events: [suppressedEvent(verdict.origin)],
        suppression: null,
      }
    case 'failed':
      return {
        settledRow: settled(row, 'failed', verdict.reason),
        events: [event('email.failed', { failed: { reason: verdict.reason } })],
        suppression: null,
      }
    case 'postponed':
      // One that only comes back to the ledger keeps its position.
      return untriedUntil(row, verdict.seconds > 0 ? inTime(row, now, verdict.seconds) : null)
    case 'parked':
      return untriedUntil(row, inTime(row, now, verdict.seconds), verdict.queue.destination)
    case 'held':
      return understood(verdict, held(row, verdict, now))
    default:
      return verdict satisfies never
  }
}

function understood(verdict: ReplyClassification, consequence: Consequence): Consequence {
  const kept = keptOf(verdict)
  if (!kept) return consequence
  const { settledRow } = consequence
  return { ...consequence, settledRow: { ...settledRow, understood: { ...settledRow.understood, ...kept } } }
}

const later = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1_000)

/** As long as there is time somebody may have room for it, until the last moment. */
function inTime({ giveUpAt }: Claimed, now: Date, seconds: number): Date {
  const dueAt = later(now, seconds)
  return dueAt > giveUpAt && now < giveUpAt ? giveUpAt : dueAt
}

function untriedUntil(row: Claimed, dueAt: Date | null, parkedFor?: string): Consequence {
  if (dueAt && dueAt > row.giveUpAt) return bounced(row, EXPIRED, { type: 'Transient', subType: 'General' })
  const settledRow = { row, state: 'waiting', dueAt, reply: '', isAttempt: false } as const
  return { settledRow: { ...settledRow, ...(parkedFor && { parkedFor }) }, events: [], suppression: null }
}

/** Until the destination takes mail again; whoever has waited for that in all its time has bounced. The outside hears of the first delay. */
function held(row: Claimed, { reply, seconds, queue }: BlockedVerdict, now: Date): Consequence {
  if (now >= row.giveUpAt) return bounced(row, reply, { type: 'Transient', subType: 'General' })
  const dueAt = new Date(Math.min(later(now, seconds).getTime(), row.giveUpAt.getTime()))
  const settledRow = { row, state: 'waiting', dueAt, reply, isAttempt: false, isNote: true } as const
  return {
    settledRow: { ...settledRow, ...(queue && { parkedFor: queue.destination }) },
    events: row.isUnanswered ? [event('email.delivery_delayed')] : [],
    suppression: null,
  }
}

/** Of an event that says nothing beside what all events of an email say. */
export const NOTHING_MORE: object = {}

const event = (type: EventType, extra = NOTHING_MORE) => ({ type, extra })

const settled = (row: Claimed, state: SettledRow['state'], reply: string): SettledRow => ({
  row,
  state,
  dueAt: null,
  reply,
  isAttempt: true,
})

function bounced(row: Claimed, reply: string, bounce: Bounce): Consequence {
  // Only an address that does not exist is given up for good; a full mailbox or a refused message says nothing about it.
  const isBadAddress = bounce.type === 'Permanent' && !isTestAddress(row.recipient)
  return {
    settledRow: { ...settled(row, 'bounced', reply), understood: { bounce } },
    events: [event('email.bounced', { bounce: bounceDetails(reply, bounce) })],
    suppression: isBadAddress ? { email: row.recipient, origin: 'bounce', sourceId: row.emailId } : null,
  }
}

/**
 * Due again by the retry schedule, and not before the destination wants to hear of us again. The outside hears of the first delay only;
 * when it is given up it is a bounce.
 */
function deferred(
  row: Claimed,
  { reply, retryAfterSeconds = 0, retryAtSeconds, pinnedTo }: Extract<Outcome, { kind: 'deferred' }>,
  { now, retry = DEFAULT_RETRY }: Moment,
): Consequence {
  const known = retryAtSeconds === undefined ? null : later(now, retryAtSeconds)
  const dueAt = known
    ? known < row.giveUpAt && known
    : nextAttempt(row.attempts, { now, giveUpAt: row.giveUpAt, notBeforeSeconds: retryAfterSeconds, retry })
  if (!dueAt) return bounced(row, reply, { type: 'Transient', subType: 'General' })
  return {
    settledRow: { row, state: 'waiting', dueAt, reply, isAttempt: true, ...(pinnedTo !== undefined && { pinnedTo }) },
    events: row.isUnanswered ? [event('email.delivery_delayed')] : [],
    suppression: null,
  }
}

function suppressedEvent(origin: NewSuppression['origin']) {
  const reasons = { bounce: 'previous_bounce', complaint: 'previous_complaint', manual: undefined } as const
  const message = 'The recipient is on the suppression list.'
  return event('email.suppressed', {
    suppressed: { message, type: 'OnAccountSuppressionList', reason: reasons[origin], diagnosticCode: [] },
  })
}

const TEST_ADDRESS = /^(delivered|bounced|complained|suppressed)(?:\+[^@]*)?@resend\.dev$/i

export const isTestAddress = (address: string) => TEST_ADDRESS.test(address)

/** Addresses for trying things out: they behave as their name says, in every mode, and no server is ever asked. */
export function testVerdict(address: string): Verdict | null {
  switch (TEST_ADDRESS.exec(address)?.[1]?.toLowerCase()) {
    case 'delivered':
      return { kind: 'delivered', reply: '250 2.0.0 OK' }
    case 'complained':
      return { kind: 'complained', reply: '250 2.0.0 OK' }
    case 'bounced':
      return {
        kind: 'bounced',
        reply: '550 5.1.1 The email account that you tried to reach does not exist',
        bounce: { type: 'Permanent', subType: 'General' },
      }
    case 'suppressed':
      return { kind: 'suppressed', origin: 'bounce' }
    default:
      return null
  }
}
