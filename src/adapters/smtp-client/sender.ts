import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createSecureContext, rootCertificates } from 'node:tls'
import type { Outcome, Untried } from '../../mail/outcome.ts'
import type { Clock } from '../../platform/clock.ts'
import type { MaybePromise } from '../../platform/concurrency/maybe-promise.ts'
import type { SourceAddresses } from '../../platform/settings/settings.ts'
import { isPublicAddress } from '../dns/public-address.ts'
import { attempt, WITHDRAWN } from './attempt.ts'
import type { Conversation } from './conversation.ts'
import { type Destination, type Envelope, isPoolOf } from './destination.ts'
import type { Entry } from './destination-pool.ts'
import { DestinationPools } from './destination-pools.ts'
import { addressOnTheWire, isSendable, type Mail, mailOf, type SendStep, unsendable } from './mail.ts'
import type { Wiring } from './open-session.ts'
import { TIMEOUTS, type Timeouts } from './timeouts.ts'

export interface SmtpSenderOptions {
  /** What we call ourselves in EHLO: a name that resolves to our address, or receivers will mind. */
  readonly heloName: string
  /** Unset: as the system chooses. */
  readonly sourceAddresses?: SourceAddresses
  /** To one destination, unless it says otherwise. */
  readonly maxConnections?: number
  readonly timeouts?: Partial<Timeouts>
  readonly messagesPerConnection?: number
  readonly idleMs?: number
  /** How long a destination that cannot be talked to is left alone at first; then twice as long each time. */
  readonly firstPauseMs?: number
  readonly maxPauseMs?: number
  /** A conversation that takes longer keeps nobody waiting. */
  readonly slowMs?: number
  /** Certificates to trust besides the public ones, as PEM. */
  readonly trustedCertificates?: readonly string[]
  /** For tests, which have loopback only. */
  readonly isPublic?: (address: string) => boolean
  readonly clock: Clock
}

/** How fast a mail may go, and who wants to know what was said about that. */
export interface MailPace {
  /** Until when this mail is not to be begun; asked whenever its turn comes. */
  restsUntil(): Date | null
  /** Called with the answers before anybody else's turn comes. `startedMs` is by the clock. */
  heard(outcomes: readonly (Outcome | Untried)[], startedMs: number): void
}

export interface SendLimits {
  /** Who stands in line until then comes back untried. */
  readonly startBefore?: Date
  /** Lets all others go first. */
  readonly isLowPriority?: boolean
  /** Whether the mail may still leave: asked when its turn has come, and again before its end is sent. */
  readonly fence?: { mayBegin(): MaybePromise<boolean>; isOurs(): boolean }
  readonly pace?: MailPace | undefined
  /** Called when the message was sent, and only its answer is waited for. */
  readonly onSent?: () => void
  /** Called when the conversation has become a slow one: it holds its connection, and should hold nothing else that others need. */
  readonly onSlow?: () => void
  /** Called as the conversation goes on. */
  readonly onStep?: ((step: SendStep) => void) | undefined
  /** Notes how it goes. */
  readonly conversation?: Conversation
}

export interface PoolLoad {
  readonly destination: string
  readonly active: number
  readonly idle: number
  readonly waiting: number
  /** Connections allowed at present. */
  readonly limit: number
  readonly pausedUntil: Date | null
}

const SLOW_MS = 30_000

/** When to come back to a destination that was busy with others all the time. */
const BUSY_SECONDS = 30

/**
 * Sends mail over SMTP, with a pool of sessions for each destination. A mail that finds its destination at the limit waits in
 * line; one that finds it paused comes back at once, untried, with the time to try again. How fast a destination gets mail that has
 * asked for less is not decided here: see `MailPace`.
 */
export class SmtpSender {
  readonly #wiring: Wiring
  readonly #clock: Clock
  readonly #pools: DestinationPools
  readonly #slowMs: number
  #underway = 0
  #onFinished = () => {}
  readonly #sockets = new Set<Socket>()
  #isClosed = false
  #isCutOff = false

  constructor(options: SmtpSenderOptions) {
    const { heloName, trustedCertificates, clock } = options
    const secureContext = trustedCertificates
      ? createSecureContext({ ca: [...rootCertificates, ...trustedCertificates] })
      : undefined
    this.#clock = clock
    this.#slowMs = options.slowMs ?? SLOW_MS
    this.#wiring = {
      heloName,
      sourceAddresses: options.sourceAddresses ?? {},
      timeouts: { ...TIMEOUTS, ...options.timeouts },
      secureContext,
      sockets: this.#sockets,
      isClosed: () => this.#isCutOff,
      isPublic: options.isPublic ?? isPublicAddress,
    }
    const { messagesPerConnection = 100, idleMs = 5_000, firstPauseMs = 5_000, maxPauseMs = 600_000 } = options
    const limits = { messagesPerConnection, idleMs, firstPauseMs, maxPauseMs }
    this.#pools = new DestinationPools({ clock, limits, maxConnections: options.maxConnections })
  }

  /** One outcome for each recipient, in order. Never throws for what the other side does. */
  send(
    destination: Destination,
    envelope: Envelope,
    message: Buffer,
    limits: SendLimits = {},
  ): Promise<readonly (Outcome | Untried)[]> {
    // From here on only the mail has the message, and lets go of it when it was sent.
    const mail = mailOf(envelope, message, {
      onSent: limits.onSent,
      onStep: limits.onStep,
      conversation: limits.conversation,
      isOurs: limits.fence?.isOurs,
      provider: destination.provider,
    })
    const isWhole = mail.to.length > 0 && mail.to.length === envelope.to.length && isSendable(mail.from)
    return isWhole ? this.#deliver(destination, mail, limits) : this.#sendToSome(destination, envelope, mail, limits)
  }

  /** Recipients that cannot be written into an envelope, or are in it twice. */
  async #sendToSome(destination: Destination, envelope: Envelope, mail: Mail, limits: SendLimits) {
    if (!isSendable(mail.from)) return envelope.to.map(() => unsendable('sender'))
    const outcomes = mail.to.length > 0 ? await this.#deliver(destination, mail, limits) : []
    const byAddress = new Map(mail.to.map((address, index) => [address, outcomes[index]!]))
    return envelope.to.map((address) => byAddress.get(addressOnTheWire(address)) ?? unsendable('recipient'))
  }

  /** Until when mail to the destination would come back untried, so that nobody needs to try. By the name of its pool. */
  pausedUntil(poolName: string): Date | null {
    return this.#pools.find(poolName)?.rest.until ?? null
  }

  /** A destination, or all of them, are to be asked again now, although nobody could be talked to. */
  endRests(destinationName?: string) {
    for (const [name, pool] of this.#pools.all())
      if (destinationName === undefined || isPoolOf(name, destinationName)) pool.rest.end()
  }

  /** For metrics: the destinations that have something going on. */
  load(): PoolLoad[] {
    return this.#pools
      .all()
      .map(([destination, pool]) => ({ destination, ...pool.load, pausedUntil: pool.rest.until }))
      .filter(({ active, idle, waiting, pausedUntil }) => active + idle + waiting > 0 || pausedUntil)
  }

  /** Takes nothing more, lets what is under way finish within the grace, and cuts off the rest. */
  async close(graceMs = 10_000) {
    this.#isClosed = true
    for (const [, pool] of this.#pools.all()) pool.close()
    const finished = this.#finished()
    await Promise.race([finished, wait(graceMs, undefined, { ref: false })])
    this.#isCutOff = true
    for (const socket of this.#sockets) socket.destroy()
    await finished
  }

  #finished(): Promise<void> {
    if (this.#underway === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const before = this.#onFinished
      this.#onFinished = () => {
        before()
        resolve()
      }
    })
  }

  async #deliver(
    destination: Destination,
    mail: Mail,
    { startBefore, isLowPriority = false, fence, pace, onSlow }: SendLimits,
  ): Promise<readonly (Outcome | Untried)[]> {
    const pool = this.#pools.to(destination)
    const waitMs = startBefore
      ? Math.max(0, startBefore.getTime() - this.#clock.now().getTime())
      : Number.POSITIVE_INFINITY
    let hasEntered = false
    let isSlow = false
    let timer: NodeJS.Timeout | undefined
    this.#underway++
    try {
      const entry = this.#isClosed
        ? 'closed'
        : await pool.enter({ waitMs, isLowPriority, restsUntil: pace && (() => pace.restsUntil()) })
      if (entry !== 'entered') return mail.to.map(() => this.#untried(entry, pool.rest.until ?? pace?.restsUntil()))
      hasEntered = true
      const mayBegin = fence?.mayBegin() ?? true
      if (!(mayBegin instanceof Promise ? await mayBegin : mayBegin)) return mail.to.map(() => WITHDRAWN)
      timer = setTimeout(() => {
        isSlow = pool.makeWay()
        if (isSlow) onSlow?.()
      }, this.#slowMs).unref()
      mail.onStep?.('turn came')
      const startedMs = this.#clock.now().getTime()
      const { outcomes, lesson } = await attempt(pool, destination, mail, this.#wiringFor(destination))
      if (lesson === 'unreachable') pool.rest.failed(startedMs, destination.maxUnreachableMs)
      else pool.rest.answered()
      pace?.heard(outcomes, startedMs)
      return pace ? outcomes.map((outcome) => this.#withHint(outcome, pace.restsUntil())) : outcomes
    } finally {
      clearTimeout(timer)
      if (hasEntered) pool.leave({ isSlow })
      if (--this.#underway === 0) this.#onFinished()
    }
  }

  #wiringFor({ timeouts, source }: Destination): Wiring {
    if (!timeouts && !source) return this.#wiring
    return {
      ...this.#wiring,
      ...(timeouts && { timeouts: { ...this.#wiring.timeouts, ...timeouts } }),
      ...(source && {
        heloName: source.heloName,
        sourceAddresses: source.addresses,
        sourceWords: `the source ${source.name}`,
      }),
    }
  }

  #untried(entry: Exclude<Entry, 'entered'>, restsUntil: Date | null | undefined): Untried {
    switch (entry) {
      case 'closed':
        return { kind: 'postponed', seconds: 0 }
      case 'late':
        return { kind: 'postponed', seconds: BUSY_SECONDS }
      case 'paused':
        return { kind: 'postponed', seconds: this.#secondsUntil(restsUntil) }
    }
  }

  #secondsUntil(until: Date | null | undefined): number {
    return Math.max(0, Math.ceil(((until?.getTime() ?? 0) - this.#clock.now().getTime()) / 1_000))
  }

  /** Who was asked to bring less comes back when the rest is over. */
  #withHint(outcome: Outcome | Untried, restsUntil: Date | null): Outcome | Untried {
    if (outcome.kind !== 'deferred' || !outcome.isThrottled || !restsUntil) return outcome
    return { ...outcome, retryAfterSeconds: Math.max(this.#secondsUntil(restsUntil), outcome.retryAfterSeconds ?? 0) }
  }
}
