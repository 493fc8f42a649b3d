import { DEFAULT_RETRY } from '../../src/features/emails/delivery/outcomes/retry.ts'
import { connectionsOf, nextPace, type PaceBounds, rateOf } from '../../src/features/emails/delivery/pace/controller.ts'
import { Controllers, type NodeController } from '../../src/features/emails/delivery/pace/controllers.ts'
import { HeardAnswers } from '../../src/features/emails/delivery/pace/heard-answers.ts'
import {
  destinationNameOf,
  identityOf,
  type MailTarget,
  type PacedKind,
} from '../../src/features/emails/delivery/pace/identity.ts'
import { isEndedBy, nextPause, type PauseState } from '../../src/features/emails/delivery/pace/next-pause.ts'
import { paceSignalOf } from '../../src/features/emails/delivery/pace/pace-signal.ts'
import type { Outcome } from '../../src/mail/outcome.ts'
import { builtInRules, type Ceilings, ceilingsFor } from '../../src/mail/providers/ceilings.ts'
import { providerOf } from '../../src/mail/providers/providers.ts'
import { judgeReply } from '../../src/mail/replies/judge-reply.ts'
import { SETTINGS } from '../../src/platform/settings/config.ts'
import type { Answer, Pacer, Route, Strategy } from './pacer.ts'
import { type NewSender, WarmUps } from './warm-ups.ts'

/** As in the program: what was heard is told to the controllers this often. */
export const TELL_EVERY_MS = 5_000

/** What is worked out once for a route. */
interface KnownWay {
  readonly way: MailTarget
  readonly ceilings: Pick<Ceilings, 'connections' | 'messages_per_connection' | 'rate'>
  /** Of all pauses that could be about its mail. */
  readonly pauseKeys: readonly string[]
  /** Who is warmed up there: only providers that are known are spared. */
  readonly newSenders: readonly NewSender[]
}

/**
 * The program's controller, pauses, ceilings, warm-up and reading of replies, of one node, without its database. What decides is the program's own code;
 * that the rest does the same as its `Pace` and `Pauses` is tested over sequences of answers.
 */
export class PostwrenPacer implements Pacer {
  /** Null: off, as it is unless an operator wants it. */
  readonly #warmUps: WarmUps | null
  readonly #rules = builtInRules(SETTINGS.DESTINATION_CONNECTIONS.parse(undefined))
  readonly #controllers = new Controllers(() => this.#nowMs)
  readonly #heard = new HeardAnswers()
  readonly #pauses = new Map<string, PauseState>()
  readonly #ways = new Map<Route, KnownWay>()
  readonly #bounds = new Map<string, PaceBounds>()
  #nowMs = 0
  #toldMs = 0

  constructor({ warmsUp }: { warmsUp: boolean }) {
    this.#warmUps = warmsUp ? new WarmUps() : null
  }

  concurrency(route: Route, nowMs: number) {
    this.#nowMs = nowMs
    const { way, ceilings } = this.#wayOf(route)
    let { connections } = ceilings
    for (const { key, state } of this.#controllers.of(way))
      if (OF_ALL_MAIL.has(key.kind)) connections = Math.min(connections, connectionsOf(state, ceilings))
    return { connections: Math.max(1, connections), messagesPerConnection: ceilings.messages_per_connection }
  }

  waitMs(route: Route, nowMs: number): number {
    this.#nowMs = nowMs
    const { way, ceilings, pauseKeys, newSenders } = this.#wayOf(route)
    const pausedMs = this.#pausedMs(pauseKeys)
    if (pausedMs > 0) return pausedMs
    const held = this.#controllers.of(way)
    const waitMs = held.reduce(
      (longest, { bucket, state }) => Math.max(longest, bucket.wait(nowMs, rateOf(state, ceilings.rate))),
      0,
    )
    if (waitMs > 0) return waitMs
    const usedUpMs = this.#warmUps?.waitMs(newSenders, nowMs) ?? 0
    if (usedUpMs === 0) for (const { bucket } of held) bucket.take()
    return usedUpMs
  }

  answered(route: Route, answer: Answer, nowMs: number): number | null {
    this.#nowMs = nowMs
    const { way, newSenders } = this.#wayOf(route)
    const outcome = outcomeOf(answer, way)
    this.#warmUps?.heard(newSenders, outcome, { startedMs: answer.startedMs, nowMs })
    const signal = this.#heard.hear([outcome], {
      ...{ destination: destinationNameOf(way.destination), sender: route.identity.spf_domain, now: nowMs },
      ...{ recipient: answer.recipient, attempt: answer.attempts, startedAt: answer.startedMs },
    })
    if (signal?.cut) this.#throttled(route, signal.cut.kind, answer)
    else if (signal) for (const local of this.#controllers.of(way)) local[signal.counts]++
    this.#learnPause(route, outcome, answer)
    if (nowMs - this.#toldMs >= TELL_EVERY_MS) this.#tell(nowMs)
    if (outcome.kind !== 'deferred') return null
    const { scheduleSeconds } = DEFAULT_RETRY
    return (scheduleSeconds[answer.attempts - 1] ?? scheduleSeconds.at(-1)!) * 1_000
  }

  #throttled(route: Route, kind: PacedKind, { startedMs }: Answer) {
    const { way, ceilings } = this.#wayOf(route)
    const identity = identityOf(way.identities, kind)
    if (identity === null) return
    const destination = destinationNameOf(way.destination)
    const key = { destination, kind, identity }
    const { connections, rate } = ceilings
    const observedRate = this.#heard.rateOf(destination, this.#nowMs)
    const event = { kind: 'throttled', startedAt: startedMs } as const
    const { state, cause } = nextPace(this.#controllers.find(key)?.state ?? null, event, {
      now: this.#nowMs,
      bounds: { rate, connections, observedRate },
    })
    if (cause !== null) this.#controllers.set({ ...key, state })
  }

  #learnPause(route: Route, outcome: Outcome, { startedMs }: Answer) {
    const { way, pauseKeys } = this.#wayOf(route)
    const startedAt = new Date(startedMs)
    if (outcome.kind === 'delivered' && this.#pauses.size > 0)
      for (const key of pauseKeys) {
        const pause = this.#pauses.get(key)
        // Of links nobody looks whether they were taken.
        if (pause && isEndedBy(pause, startedAt) && key !== pauseKey(route, way, 'url_domain')) this.#pauses.delete(key)
      }
    const { pause } = paceSignalOf(outcome)
    if (!pause || outcome.kind !== 'deferred') return
    const key = pauseKey(route, way, pause.kind)
    const next = nextPause(this.#pauses.get(key) ?? null, { startedAt, seconds: pause.seconds }, new Date(this.#nowMs))
    if (next) this.#pauses.set(key, next)
  }

  /** What it takes a route for. */
  targetOf(route: Route): MailTarget {
    return this.#wayOf(route).way
  }

  /** For whoever compares: what holds mail back, by kind and identity. */
  held(route: Route, nowMs: number) {
    this.#nowMs = nowMs
    const { way, pauseKeys } = this.#wayOf(route)
    const paces = this.#controllers.of(way).map(({ key: { kind, identity }, state }) => ({ kind, identity, state }))
    return { pausedMs: this.#pausedMs(pauseKeys), paces }
  }

  #tell(nowMs: number) {
    this.#toldMs = nowMs
    for (const local of [...this.#controllers.all()]) {
      const { taken, deferred, key } = local
      if (taken + deferred === 0) continue
      local.taken = 0
      local.deferred = 0
      const { state } = nextPace(
        local.state,
        { kind: 'counted', taken, deferred },
        { now: nowMs, bounds: this.#boundsOf(local) },
      )
      this.#controllers.set({ ...key, state })
    }
  }

  #boundsOf({ key: { destination } }: NodeController): PaceBounds {
    const known = this.#bounds.get(destination)
    if (known) return known
    const { connections, rate } = ceilingsFor(this.#rules, { provider: destination })
    const bounds = { rate: rate.value, connections: connections.value, observedRate: 0 }
    this.#bounds.set(destination, bounds)
    return bounds
  }

  #pausedMs(pauseKeys: readonly string[]): number {
    let longestMs = 0
    if (this.#pauses.size > 0)
      for (const key of pauseKeys)
        longestMs = Math.max(longestMs, (this.#pauses.get(key)?.pausedUntil.getTime() ?? 0) - this.#nowMs)
    return longestMs
  }

  #wayOf(route: Route) {
    const known = this.#ways.get(route)
    if (known) return known
    const { hosts, domain, identity } = route
    const provider = providerOf(hosts)
    const destination = { name: hosts.join(' '), hosts: [], ...(provider && { provider }) }
    const netblock = `${identity.source.split('.').slice(0, 3).join('.')}.0/24`
    const bound = ceilingsFor(this.#rules, { site: destination.name, ...(provider && { provider }) })
    const way = { destination, domain, identities: { ...identity, netblock } }
    const made = {
      way,
      pauseKeys: KINDS.map((kind) => pauseKey(route, way, kind)),
      newSenders: provider === null ? [] : newSendersOf(identity, provider),
      ceilings: {
        connections: bound.connections.value,
        messages_per_connection: bound.messages_per_connection.value,
        rate: bound.rate.value,
      },
    }
    this.#ways.set(route, made)
    return made
  }
}

/** Controllers of these hold back all mail to a site, so they have a say in its connections. */
const OF_ALL_MAIL: ReadonlySet<string> = new Set(['site', 'source', 'netblock'])
const KINDS = ['source', 'netblock', 'spf_domain', 'dkim_domain', 'url_domain', 'tenant', 'site'] as const

const pauseKey = (route: Route, way: MailTarget, kind: (typeof KINDS)[number]) =>
  `${destinationNameOf(way.destination)} ${kind} ${kind === 'url_domain' ? route.identity.url_domain : identityOf(way.identities, kind)}`

/** Of one message: its sending domain first, as in the program. */
const newSendersOf = ({ source, dkim_domain }: Route['identity'], provider: string): readonly NewSender[] => [
  { kind: 'domain', key: `domain ${dkim_domain} ${provider}` },
  { kind: 'source', key: `source ${source} ${provider}` },
]

/** What the program makes of a reply. */
export function outcomeOf({ code, enhanced, text, phase }: Answer, { destination }: MailTarget): Outcome {
  if (code === 0 || phase === 'tls')
    return { kind: 'deferred', reply: text, isThrottled: false, unreachable: 'connection' }
  return judgeReply(
    { code, enhanced, text },
    {
      about: phase === 'rcpt' ? 'recipient' : 'message',
      phase: phase === 'data' ? 'message' : phase,
      provider: destination.provider ?? null,
      sourceRefusedFor: 'destination',
    },
  )
}

export const postwren: Strategy = {
  name: 'postwren',
  about: 'The controller of this program, with its ceilings, its pauses and its reading of replies.',
  create: () => new PostwrenPacer({ warmsUp: false }),
}

export const postwrenWarmUp: Strategy = {
  name: 'postwren-warm-up',
  about: 'The same with the warm-up of this program, for each source and each sending domain at each provider.',
  create: () => new PostwrenPacer({ warmsUp: true }),
}
