import type { Destination } from '../../../../adapters/smtp-client/destination.ts'
import { domainOf } from '../../../../mail/address.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { Answer } from '../deliver.ts'
import { type DestinationPause, type DestinationPauses, domainAsDestination } from './destination-pauses.ts'
import type { DestinationQueues } from './destination-queues.ts'

/** Something stands in the way of all mail to a destination: it is noted, and no step on the recipient's own schedule. */
export interface Held {
  readonly kind: 'held'
  readonly reply: string
  readonly seconds: number
  /** Whether somebody was asked, and has said no. */
  readonly isTried: boolean
  readonly host?: string
  readonly serverReply?: string
  /** Set: it is fetched as soon as the destination can be talked to. */
  readonly queue?: { readonly destination: string; readonly priority: number }
}

/** Mail on its way to one destination. */
interface RouteAttempt {
  readonly destination: Destination
  readonly priority: number
  /** When the conversation began. */
  readonly startedAt: Date
}

interface Parts {
  readonly log: Log
  readonly clock: Clock
  readonly sender: { pausedUntil(destination: string): Date | null }
  readonly queues: DestinationQueues
  /** Null: nobody keeps them. */
  readonly pauses: Pick<DestinationPauses, 'find' | 'refused' | 'taken'> | null
  /** All mail goes through one server. */
  readonly isOneWay: boolean
}

const MAX_REPLY_LENGTH = 1_000
const WARN_EVERY_MS = 60_000

/**
 * What keeps a destination from all its mail, and what becomes of the mail meanwhile. A relay that cannot be reached, or does not take
 * our login: its mail is parked, and leaves as soon as it is back. A server that refuses our address: it is left alone.
 */
export class DestinationOutages {
  readonly #parts: Parts
  #warnedMs = Number.NEGATIVE_INFINITY
  #isRelayAway = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Why mail for this recipient is not even tried, whatever the way. */
  aheadOf(recipient: string): Held | null {
    const pause = this.#parts.pauses?.find(domainAsDestination(domainOf(recipient).toLowerCase()))
    return pause ? this.#untried(pause) : null
  }

  /** Why mail to the destination is not tried now. */
  at({ destination, priority }: Omit<RouteAttempt, 'startedAt'>): Answer['verdict'] | null {
    const pause = this.#parts.pauses?.find(destination.name)
    if (pause) return this.#untried(pause)
    const now = this.#parts.clock.now()
    const restsUntil = this.#parts.sender.pausedUntil(destination.name)
    if (!restsUntil || restsUntil <= now) return null
    return this.#putOff(secondsBetween(now, restsUntil), { destination, priority })
  }

  /** What follows from the answers of a conversation for the destination, and for the mail that waits for it. */
  after(
    recipients: readonly string[],
    outcomes: readonly (Outcome | Untried)[],
    way: RouteAttempt,
  ): MaybePromise<readonly Answer['verdict'][]> {
    this.#watchRelay(outcomes, way)
    const [outcome] = outcomes
    if (!outcome || outcomes.length > 1) return this.#verdictsOn(recipients, outcomes, way)
    const verdict = this.#verdictOn(recipients[0]!, outcome, way)
    return verdict instanceof Promise ? verdict.then((known) => [known]) : [verdict]
  }

  /** One after the other: what a destination has said about one counts for the next. */
  async #verdictsOn(
    recipients: readonly string[],
    outcomes: readonly (Outcome | Untried)[],
    way: RouteAttempt,
  ): Promise<readonly Answer['verdict'][]> {
    const verdicts: Answer['verdict'][] = []
    for (const [index, outcome] of outcomes.entries())
      verdicts.push(await this.#verdictOn(recipients[index]!, outcome, way))
    return verdicts
  }

  #verdictOn(recipient: string, outcome: Outcome | Untried, way: RouteAttempt): MaybePromise<Answer['verdict']> {
    const { pauses, isOneWay } = this.#parts
    // Sent away since the destination rests by now, and not only because others had all of its connections.
    if (outcome.kind === 'postponed')
      return this.#parts.sender.pausedUntil(way.destination.name) ? this.#putOff(outcome.seconds, way) : outcome
    const ofDomain = domainAsDestination(domainOf(recipient).toLowerCase())
    if (outcome.kind === 'delivered') {
      pauses?.taken(way.destination.name, way.startedAt)
      pauses?.taken(ofDomain, way.startedAt)
    }
    if (outcome.kind !== 'deferred') return outcome
    if (outcome.sourceRefusedFor && pauses) {
      const destination = outcome.sourceRefusedFor === 'domain' ? ofDomain : way.destination.name
      return this.#refused(outcome, destination, way.startedAt)
    }
    if (!outcome.unreachable || !isOneWay) return outcome
    const { queue, seconds } = this.#parts.queues.park(queueOf(way), 0)
    return { kind: 'held', isTried: true, ...saidIn(outcome), queue, seconds }
  }

  async #refused(
    outcome: Extract<Outcome, { kind: 'deferred' }>,
    destination: string,
    startedAt: Date,
  ): Promise<Answer['verdict']> {
    const { host = null, reply, serverReply = reply } = outcome
    const known = this.#parts.pauses!.find(destination)
    const pause = known ?? (await this.#parts.pauses!.refused({ destination, host, reply: serverReply, startedAt }))
    if (!pause) return outcome
    const seconds = secondsBetween(this.#parts.clock.now(), pause.pausedUntil)
    return { kind: 'held', isTried: true, ...saidIn(outcome), seconds }
  }

  #untried({ destination, pausedUntil, reply }: DestinationPause): Held {
    const until = pausedUntil.toISOString()
    const text = `451 4.7.1 Paused until ${until}: ${destination} refuses our IP address: ${reply}`
    const seconds = secondsBetween(this.#parts.clock.now(), pausedUntil)
    return { kind: 'held', isTried: false, reply: text.slice(0, MAX_REPLY_LENGTH), seconds }
  }

  /** Everything waits for a relay: it is fetched when that can be talked to again, rather than asked for again and again. */
  #putOff(seconds: number, way: Omit<RouteAttempt, 'startedAt'>): Answer['verdict'] {
    return this.#parts.isOneWay ? this.#parts.queues.park(queueOf(way), seconds) : { kind: 'postponed', seconds }
  }

  #watchRelay(outcomes: readonly (Outcome | Untried)[], { destination }: RouteAttempt) {
    const [outcome] = outcomes
    if (!this.#parts.isOneWay || !outcome || outcome.kind === 'postponed') return
    const unreachable = outcome.kind === 'deferred' && outcome.unreachable
    if (!unreachable) {
      if (this.#isRelayAway) this.#parts.log.info({ host: outcome.host }, 'delivery: the relay is back')
      this.#isRelayAway = false
      return
    }
    this.#isRelayAway = true
    if (performance.now() - this.#warnedMs < WARN_EVERY_MS) return
    this.#warnedMs = performance.now()
    const what = unreachable === 'login' ? 'the relay refused the login' : 'the relay cannot be reached'
    const host = outcome.host ?? destination.hosts[0]?.host
    this.#parts.log.warn({ host, reply: outcome.serverReply ?? outcome.reply }, `delivery: ${what}; all mail waits`)
  }
}

const queueOf = ({ destination, priority }: Omit<RouteAttempt, 'startedAt'>) => ({
  destination: destination.name,
  priority,
})

const secondsBetween = (from: Date, to: Date) => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 1_000))

const saidIn = ({ reply, host, serverReply }: Outcome) => ({
  reply,
  ...(host !== undefined && { host }),
  ...(serverReply !== undefined && { serverReply }),
})
