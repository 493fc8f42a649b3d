import { type Destination, poolNameOf } from '../../../../adapters/smtp-client/destination.ts'
import type { MailPace } from '../../../../adapters/smtp-client/sender.ts'
import { domainOf } from '../../../../mail/address.ts'
import { classificationIn, type Outcome, type ReplyClassification, type Untried } from '../../../../mail/outcome.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { Answer, Outgoing } from '../deliver.ts'
import type { AnsweredMail } from '../pace/greylisting.ts'
import {
  destinationNameOf,
  destinationNamesOf,
  domainAsDestination,
  identityOf,
  type MailIdentities,
  type MailTarget,
  type SourceIdentity,
} from '../pace/identity.ts'
import type { Pace } from '../pace/pace.ts'
import { paceSignalOf } from '../pace/pace-signal.ts'
import { PauseEnds } from '../pace/pause-ends.ts'
import type { DeliveryPause } from '../pace/pause-store.ts'
import { type Pauses, refusedIn } from '../pace/pauses.ts'
import { commonPause } from '../pace/reach.ts'
import { blamedDomains } from '../pace/url-domains.ts'
import type { Sources } from '../sources/sources.ts'
import { type DestinationQueues, PARKED_SECONDS } from './destination-queues.ts'
import type { DestinationStops } from './destination-stops.ts'
import type { NewStop } from './stop-store.ts'

/** Something stands in the way of all mail to a destination: it is noted, and no step on the recipient's own schedule. */
export interface BlockedVerdict extends ReplyClassification {
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

/** A conversation about mail. */
interface MailConversation {
  readonly way: MailTarget
  readonly priority: number
  /** When it began. */
  readonly startedAt: Date
  /** The domains that the mail links to. */
  linksOf(): Promise<readonly string[]>
}

interface Parts {
  readonly log: Log
  readonly clock: Clock
  readonly sender: { pausedUntil(destination: string): Date | null }
  readonly queues: DestinationQueues
  /** Null: nobody keeps them. */
  readonly pauses: Pauses | null
  /** Destinations that take nothing. Null: nobody keeps that. */
  readonly stops: DestinationStops | null
  /** Null: mail goes as fast as it can. */
  readonly pace: Pick<Pace, 'admit' | 'restsUntil' | 'heard'> | null
  /** All mail goes through one server. */
  readonly hasOneServer: boolean
  /** Where mail can leave from. Null: from one address alone. */
  readonly sources: Pick<Sources, 'living' | 'areAllLiving'> | null
}

interface Queued {
  readonly destination: Destination
  readonly priority: number
}

/** Where a recipient's mail stands in the ledger. */
export interface QueuedRecipient {
  readonly address: string
  readonly priority: number
  /** Where it went when it was put back last. */
  readonly destination: string | null
  /** It was parked, and whoever has fetched it means it to be tried. */
  readonly isFetched: boolean
}

export const queuedRecipientOf = ({ email, rowOf }: Outgoing, address: string): QueuedRecipient => {
  const { destination, parkedFor } = rowOf(address)
  return { address, priority: email.broadcast === null ? 0 : 1, destination, isFetched: parkedFor !== null }
}

/** Why mail is not even tried, and where it goes, as far as that is known. */
export interface Obstacle {
  readonly verdict: Answer['verdict']
  readonly until: Date
  readonly destination?: string
  /** What is stopped for it, if the mail is kept. */
  readonly stop?: NewStop
}

const UNPACED = { waitMs: 0, isForAll: false }
const NOBODY: readonly Answer[] = []
const MAX_REPLY_LENGTH = 1_000
const MAX_FAILURES = 1_000

/**
 * What keeps a destination from its mail, and what becomes of the mail meanwhile. A server that refuses our address, or a domain of a
 * sender: it is left alone with such mail. One that wants less: its mail is parked, and fetched as its pace allows. A relay that takes no
 * mail at all is a route's matter (`routes/routed-transport.ts`).
 */
export class DestinationOutages {
  readonly #parts: Parts
  /** What was said last by destinations that could not be talked to. */
  readonly #failures = new Map<string, { readonly host: string | null; readonly reply: string }>()
  readonly #pauseEnds = new PauseEnds()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The recipients whose mail is known to wait, whatever the way. With several sources a stop is a matter of the source that it would leave from. */
  heldBefore(outgoing: Outgoing, identities: MailIdentities): readonly Answer[] {
    if (!this.#pauses && (this.#stops?.isEmpty ?? true)) return NOBODY
    return outgoing.recipients.flatMap((recipient) => {
      const standing = queuedRecipientOf(outgoing, recipient)
      const ahead = this.#parts.sources ? this.#pausedAhead(standing, identities) : this.aheadOf(standing, identities)
      return ahead ? [{ recipient, verdict: this.keepFor(ahead), destination: ahead.destination }] : []
    })
  }

  #pausedAhead({ address, priority }: QueuedRecipient, identities: MailIdentities): Obstacle | null {
    const domain = domainOf(address)
    const pause = this.#pauses?.find(domainAsDestination(domain), identities)
    return pause ? this.#paused(pause, { priority, domain }) : null
  }

  /** Why mail for this recipient is not even tried, whatever the way: nobody is asked where it goes. */
  aheadOf(standing: QueuedRecipient, identities: MailIdentities): Obstacle | null {
    const paused = this.#pausedAhead(standing, identities)
    if (paused) return paused
    const { address, priority, isFetched, ...known } = standing
    const domain = domainOf(address)
    const stop = isFetched ? null : this.#stops?.findFor(domain, known.destination)
    if (!stop) return null
    const { destination, stoppedUntil: until } = stop
    const refusal = this.#pauses?.findForAll(destination, identities)
    if (refusal) return { ...this.#paused(refusal, { priority, domain }), destination }
    return { verdict: this.#parts.queues.park({ destination, priority }), until, destination }
  }

  /** The mail is kept for it. Not said of each way that could be taken: a destination is stopped only where no way is left. */
  keepFor({ verdict, stop }: Obstacle): Answer['verdict'] {
    if (stop) this.#stops?.begin(stop)
    return verdict
  }

  /** Of a relay there are none: it is asked again and again. */
  get #stops(): DestinationStops | null {
    const { stops, hasOneServer } = this.#parts
    return hasOneServer ? null : stops
  }

  /** Mail that was parked for a destination goes another way by now, perhaps through a relay: what else waits there may do so, too. */
  movedFrom(destination: string, way: MailTarget) {
    const { stops, clock } = this.#parts
    const isThere = way.destination.name === destination || destinationNamesOf(way).includes(destination)
    if (!isThere) stops?.ended([destination], clock.now())
  }

  /** Null: nothing is paused. */
  get #pauses(): Pauses | null {
    const { pauses } = this.#parts
    return pauses?.isEmpty ? null : pauses
  }

  /** Why mail on this way is not tried now. */
  at(way: MailTarget, { priority, isFetched }: { priority: number; isFetched: boolean }): Obstacle | null {
    const { destination, domain } = way
    const pause = this.#pauseOf(way)
    if (pause) return this.#paused(pause, { priority, domain })
    const now = this.#parts.clock.now()
    const stop = this.#stops?.find(destination.name)
    if (stop && (!isFetched || stop.stoppedUntil > now)) return this.#resting(way, priority, stop.stoppedUntil)
    const restsUntil = this.#parts.sender.pausedUntil(poolNameOf(destination))
    return restsUntil && restsUntil > now ? this.#resting(way, priority, restsUntil) : null
  }

  #pauseOf(way: MailTarget): DeliveryPause | null {
    const pauses = this.#pauses
    for (const name of pauses ? destinationNamesOf(way) : []) {
      const pause = pauses!.find(name, way.identities)
      if (pause) return pause
    }
    return null
  }

  /** For whoever sends: asks and tells about mail on this way. Undefined: nobody keeps that. */
  paceOf(way: MailTarget, { recipient, attempt }: Omit<AnsweredMail, 'startedAt'>): MailPace | undefined {
    const { pace } = this.#parts
    if (!pace) return undefined
    return {
      restsUntil: () => this.#restsUntil(way),
      heard: (outcomes, startedAt) => pace.heard(way, outcomes, { recipient, attempt, startedAt }),
    }
  }

  /** Until when mail that was let through is not begun after all: what others were answered meanwhile speaks of it, too. */
  #restsUntil(way: MailTarget): Date | null {
    return this.#pauseOf(way)?.pausedUntil ?? this.#parts.pace?.restsUntil(way) ?? null
  }

  /** Why mail on this way is too fast. Null: it counts as gone. */
  admit(way: MailTarget, priority: number): Answer['verdict'] | null {
    const { pace, queues } = this.#parts
    const { waitMs, isForAll } = pace?.admit(way) ?? UNPACED
    if (waitMs === 0) return null
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
    // What is fetched as there is room need not come back by itself.
    return isForAll ? queues.park(queueOf({ destination: way.destination, priority })) : { kind: 'postponed', seconds }
  }

  /** Why mail with these links is not tried. */
  forLinks(way: MailTarget, domains: readonly string[]): BlockedVerdict | null {
    const pause = this.#parts.pauses?.findForLinks(way, domains)
    return pause ? this.#untried(pause) : null
  }

  /** What follows from the answers of a conversation for the destination, and for the mail that waits for it. */
  after(
    recipients: readonly string[],
    outcomes: readonly (Outcome | Untried)[],
    way: MailConversation,
  ): MaybePromise<readonly Answer['verdict'][]> {
    const [outcome] = outcomes
    if (!outcome || outcomes.length > 1) return this.#verdictsOn(recipients, outcomes, way)
    const verdict = this.#verdictOn(recipients[0]!, outcome, way)
    return verdict instanceof Promise ? verdict.then((known) => [known]) : [verdict]
  }

  /** One after the other: what a destination has said about one counts for the next. */
  async #verdictsOn(
    recipients: readonly string[],
    outcomes: readonly (Outcome | Untried)[],
    way: MailConversation,
  ): Promise<readonly Answer['verdict'][]> {
    const verdicts: Answer['verdict'][] = []
    for (const [index, outcome] of outcomes.entries())
      verdicts.push(await this.#verdictOn(recipients[index]!, outcome, way))
    return verdicts
  }

  #verdictOn(recipient: string, outcome: Outcome | Untried, way: MailConversation): MaybePromise<Answer['verdict']> {
    const { pauses } = this.#parts
    if (outcome.kind === 'postponed') return this.#postponed(outcome, way)
    if (outcome.kind === 'delivered') this.#pauses?.taken({ ...way.way, domain: domainOf(recipient) }, way.startedAt)
    const { pause } = paceSignalOf(outcome)
    if (!pause) this.#learn(outcome, way)
    return outcome.kind === 'deferred' && pause && pauses
      ? this.#refused(outcome, pause, { ...way, recipient })
      : outcome
  }

  /** Sent away since the destination rests by now, and not only because others had all of its connections. */
  #postponed(outcome: Untried, { way, priority }: MailConversation): Answer['verdict'] {
    const restsUntil = this.#parts.sender.pausedUntil(poolNameOf(way.destination)) ?? this.#restsUntil(way)
    if (!restsUntil) return outcome
    // From another source it may go on, and which of them is chosen anew.
    if (way.destination.source) return { ...outcome, seconds: 0 }
    const obstacle = this.at(way, { priority, isFetched: true })
    if (obstacle) return this.keepFor(obstacle)
    // Of a relay also because it has asked for less; others have mail that goes on meanwhile.
    return this.#parts.hasOneServer ? this.keepFor(this.#resting(way, priority, this.#parts.clock.now())) : outcome
  }

  /** Whether a destination that was stopped takes mail again, or still does not. */
  #learn(outcome: Outcome, { way, startedAt }: MailConversation) {
    const stops = this.#stops
    if (!stops) return
    const destination = way.destination.name
    const isPut = outcome.kind === 'deferred'
    const restsUntil = isPut ? this.#parts.sender.pausedUntil(poolNameOf(way.destination)) : null
    if (!restsUntil) {
      if (!stops.isEmpty) stops.ended([destination, ...destinationNamesOf(way)], startedAt)
      return
    }
    const { host = null, reply, serverReply = reply } = outcome
    if (this.#failures.size >= MAX_FAILURES) this.#failures.clear()
    this.#failures.set(destination, { host, reply: serverReply })
    stops.failed({ destination, startedAt, restsUntil, host, reply: serverReply })
  }

  /** Mail of the identity that the reply speaks of waits; the mail itself with it. */
  async #refused(
    outcome: Extract<Outcome, { kind: 'deferred' }>,
    { kind, seconds: given }: NonNullable<ReturnType<typeof paceSignalOf>['pause']>,
    { way, startedAt, recipient, linksOf }: MailConversation & { recipient: string },
  ): Promise<Answer['verdict']> {
    const { host = null, reply, serverReply = reply } = outcome
    const site = way.destination.site ?? way.destination.name
    const ofDomain = domainAsDestination(domainOf(recipient))
    // What one domain's own rules say keeps no other domain at the same servers waiting, unless all are one provider's.
    const isOfDomain = way.destination.provider === undefined && outcome.sourceRefusedFor === 'domain'
    const destination = isOfDomain ? ofDomain : destinationNameOf(way.destination)
    const about = { destination, host, reply: serverReply, class: outcome.class, seconds: given, startedAt }
    const oldDestination = isOfDomain ? ofDomain : site
    const identities =
      kind === 'url_domain'
        ? blamedDomains(await linksOf(), way.identities.dkim_domain)
        : [identityOf(way.identities, kind)].filter((identity) => identity !== null)
    let pause: DeliveryPause | null = null
    for (const identity of identities)
      pause = (await this.#parts.pauses!.refused({ ...about, kind, identity, oldDestination })) ?? pause
    if (!pause) return outcome
    const seconds = secondsBetween(this.#parts.clock.now(), pause.pausedUntil)
    return { kind: 'held', isTried: true, ...saidIn(outcome), seconds }
  }

  /** What is refused whatever it carries is fetched when that is over. The rest of the queue goes on, so what waits in it has a time of its own. */
  #paused(pause: DeliveryPause, { priority, domain }: { priority: number; domain: string | null }): Obstacle {
    const { destination, pausedUntil: until } = pause
    const verdict = this.#untried(pause)
    const common = this.#stops && isForAll(pause) ? this.#commonOf(pause) : null
    if (!common) return { verdict, until }
    const { pausedUntil: stoppedUntil, host, reply } = common
    const stop = { destination, cause: 'paused', stoppedUntil, host, reply, domain } as const
    return { verdict: { ...verdict, seconds: PARKED_SECONDS, queue: { destination, priority } }, until, stop }
  }

  /** After which the first of all sources that there are may send there again. Null: one of them may now, and its mail is not to wait for this. */
  #commonOf(pause: DeliveryPause): DeliveryPause | null {
    const { sources, pauses } = this.#parts
    return sources ? commonPause(pauses!.activeAt(pause.destination), sources.living()) : pause
  }

  #untried(pause: DeliveryPause): BlockedVerdict {
    const { destination, pausedUntil, reply } = pause
    const text = `451 4.7.1 Paused until ${pausedUntil.toISOString()}: ${destination} refuses ${refusedIn(pause)}: ${reply}`
    const seconds = secondsBetween(this.#parts.clock.now(), pausedUntil) + this.#pauseEnds.secondsBehind(pause)
    return { kind: 'held', isTried: false, reply: text.slice(0, MAX_REPLY_LENGTH).toWellFormed(), seconds }
  }

  /** Until the destination can be talked to: then it is fetched. What only one of several sources cannot reach has a time of its own. */
  #resting(way: MailTarget, priority: number, until: Date): Obstacle {
    const { destination, domain } = way
    const { name } = destination
    const { host, reply } = this.#failures.get(name) ?? { host: null, reply: null }
    const isAway = this.#isAway(poolNameOf(destination))
    if (isAway && !this.#stops?.find(name) && !this.#isAwayFromAll(way)) {
      const seconds = secondsBetween(this.#parts.clock.now(), until)
      return { verdict: { kind: 'postponed', seconds }, until }
    }
    return {
      verdict: this.#parts.queues.park(queueOf({ destination, priority })),
      until,
      ...(isAway && { stop: { destination: name, cause: 'unreachable', stoppedUntil: until, host, reply, domain } }),
    }
  }

  #isAway = (pool: string) => this.#parts.sender.pausedUntil(pool) !== null

  /** Whether no source can reach it: of those that other processes have only refusals are known here. */
  #isAwayFromAll(way: MailTarget): boolean {
    const { sources } = this.#parts
    if (!sources) return true
    const isRefused = (source: SourceIdentity) =>
      destinationNamesOf(way).some((name) => this.#pauses?.findForAll(name, source) != null)
    return sources.areAllLiving(
      way.destination.name,
      (pool, source) => (pool !== null && this.#isAway(pool)) || isRefused(source),
    )
  }
}

const queueOf = ({ destination, priority }: Queued) => ({
  destination: destination.name,
  priority,
})

/** Whatever mail carries, all of it comes from here. */
const isForAll = ({ kind }: DeliveryPause) => kind === 'site' || kind === 'source' || kind === 'netblock'

const secondsBetween = (from: Date, to: Date) => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 1_000))

export const saidIn = ({ reply, host, serverReply, ...more }: Outcome) => ({
  reply,
  ...classificationIn(more),
  ...(host !== undefined && { host }),
  ...(serverReply !== undefined && { serverReply }),
})
