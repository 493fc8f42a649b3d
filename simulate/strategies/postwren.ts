import { DEFAULT_RETRY } from '../../src/features/emails/delivery/outcomes/retry.ts'
import { connectionsOf, nextPace, type PaceBounds, rateOf } from '../../src/features/emails/delivery/pace/controller.ts'
import { Controllers, type NodeController } from '../../src/features/emails/delivery/pace/controllers.ts'
import { DeferralShares } from '../../src/features/emails/delivery/pace/deferral-shares.ts'
import { Greylisting } from '../../src/features/emails/delivery/pace/greylisting.ts'
import { destinationNameOf, identityOf, type MailTarget } from '../../src/features/emails/delivery/pace/identity.ts'
import { ObservedRates } from '../../src/features/emails/delivery/pace/observed-rates.ts'
import { type PaceSignal, strongestSignal } from '../../src/features/emails/delivery/pace/pace-signal.ts'
import type { Outcome } from '../../src/mail/outcome.ts'
import { builtInRules, type Ceilings, ceilingsFor } from '../../src/mail/providers/ceilings.ts'
import { providerOf } from '../../src/mail/providers/providers.ts'
import { judgeReply } from '../../src/mail/replies/judge-reply.ts'
import { SETTINGS } from '../../src/platform/settings/config.ts'
import type { Answer, Pacer, Route, Strategy } from './pacer.ts'
import { type NewSender, WarmUps } from './warm-ups.ts'

/** As in the program: what was heard is told to the controllers this often, and a refusal pauses for so long, by how many there were in a row. */
const TELL_EVERY_MS = 5_000
const PAUSE_SECONDS = [900, 3_600, 14_400]

/** What is worked out once for a route. */
interface KnownWay {
  readonly way: MailTarget
  readonly ceilings: Pick<Ceilings, 'connections' | 'messages_per_connection' | 'rate'>
  /** Of all pauses that could be about its mail. */
  readonly pauseKeys: readonly string[]
  /** Who is warmed up there: only providers that are known are spared. */
  readonly newSenders: readonly NewSender[]
}

interface Pause {
  untilMs: number
  refusals: number
}

/** The program's controller, pauses, ceilings, warm-up and reading of replies, of one node, without its database. */
class PostwrenPacer implements Pacer {
  /** Null: off, as it is unless an operator wants it. */
  readonly #warmUps: WarmUps | null
  readonly #rules = builtInRules(SETTINGS.DESTINATION_CONNECTIONS.parse(undefined))
  readonly #controllers = new Controllers(() => this.#nowMs)
  readonly #observed = new ObservedRates()
  readonly #deferrals = new DeferralShares()
  readonly #greylisting = new Greylisting()
  readonly #pauses = new Map<string, Pause>()
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
    const lesson = this.#greylisting.paceSignalOf(
      strongestSignal([outcome]).lesson,
      destinationNameOf(way.destination),
      {
        sender: route.identity.spf_domain,
        recipient: answer.recipient,
        attempt: answer.attempts,
        startedAt: answer.startedMs,
      },
    )
    if (lesson.counts === 'taken' || lesson.counts === 'deferred')
      this.#learn(route, { way, lesson, counts: lesson.counts, answer })
    if (nowMs - this.#toldMs >= TELL_EVERY_MS) this.#tell(nowMs)
    if (outcome.kind !== 'deferred') return null
    const { scheduleSeconds } = DEFAULT_RETRY
    return (scheduleSeconds[answer.attempts - 1] ?? scheduleSeconds.at(-1)!) * 1_000
  }

  #learn(
    route: Route,
    {
      way,
      lesson,
      counts,
      answer,
    }: { way: MailTarget; lesson: PaceSignal; counts: 'taken' | 'deferred'; answer: Answer },
  ) {
    const name = destinationNameOf(way.destination)
    this.#observed.count(name, this.#nowMs)
    if (lesson.pause) this.#pause(pauseKey(route, way, lesson.pause.kind), lesson.pause.seconds, answer)
    const isTooMuch = this.#deferrals.heard(name, counts, this.#nowMs)
    const cut = lesson.cut ?? (isTooMuch ? 'source' : null)
    if (!cut) {
      for (const local of this.#controllers.of(way)) local[counts]++
      return
    }
    const identity = identityOf(way.identities, cut)
    if (identity === null) return
    const key = { destination: name, kind: cut, identity }
    const { connections, rate } = this.#wayOf(route).ceilings
    const observedRate = this.#observed.rateOf(name, this.#nowMs)
    const event = { kind: 'throttled', startedAt: answer.startedMs } as const
    const { state, cause } = nextPace(this.#controllers.find(key)?.state ?? null, event, {
      now: this.#nowMs,
      bounds: { rate, connections, observedRate },
    })
    if (cause !== null) this.#controllers.set({ ...key, state })
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
      for (const key of pauseKeys) longestMs = Math.max(longestMs, (this.#pauses.get(key)?.untilMs ?? 0) - this.#nowMs)
    return longestMs
  }

  #pause(key: string, seconds: number | undefined, { startedMs }: Answer) {
    const known = this.#pauses.get(key)
    // What began before the last pause was over says nothing new.
    if (known && startedMs < known.untilMs) return
    const refusals = Math.min((known?.refusals ?? 0) + 1, PAUSE_SECONDS.length)
    this.#pauses.set(key, { refusals, untilMs: this.#nowMs + (seconds ?? PAUSE_SECONDS[refusals - 1]!) * 1_000 })
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
function outcomeOf({ code, enhanced, text, phase }: Answer, { destination }: MailTarget): Outcome {
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
