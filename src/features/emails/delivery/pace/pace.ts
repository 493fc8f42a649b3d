import { type Destination, poolNameOf } from '../../../../adapters/smtp-client/destination.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import type { BoundCeilings } from '../../../../mail/providers/ceilings.ts'
import { isProvider } from '../../../../mail/providers/providers.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { RetryStagger, TokenBucket } from './bucket.ts'
import type { CeilingTable } from './ceiling-table.ts'
import { connectionsOf, nextPace, type PaceBounds, rateOf, restOf } from './controller.ts'
import { Controllers, type NodeController } from './controllers.ts'
import { follow } from './follow.ts'
import type { AnsweredMail } from './greylisting.ts'
import { HeardAnswers } from './heard-answers.ts'
import {
  destinationNameOf,
  domainAsDestination,
  identityOf,
  type KnownSources,
  type MailTarget,
  type PacedKind,
  type SourceIdentity,
} from './identity.ts'
import { type Nodes, nodesOf, shareOf } from './nodes.ts'
import { findPaces, type KeptPace, keyText, MAX_CONTROLLERS, type PaceUpdate } from './store.ts'
import { PaceUpdates } from './updates.ts'

const CHANNEL = 'delivery-pace'
const FLUSH_EVERY_MS = 5_000
/** So many are told of at a time; the others wait for the next time, and nothing is lost. */
const MAX_UPDATES_PER_FLUSH = 200
const UNWRITTEN_MS = 30_000
/** This node has no share of the connections: the mail is released, so that another node claims it. */
const ELSEWHERE_MS = 5_000

/** Nothing holds a mail back (`waitMs` is 0), or for how long. */
export interface Admission {
  readonly waitMs: number
  /** Whether it holds back all mail to the destination: then what waits is fetched as there is room. */
  readonly isForAll: boolean
}

const GO: Admission = { waitMs: 0, isForAll: false }
const ELSEWHERE: Admission = { waitMs: ELSEWHERE_MS, isForAll: false }

/**
 * How fast mail leaves, for each destination and identity: within the ceilings, and as what was heard from there allows. A destination that has
 * never asked for less has nothing here but its count, so it costs nothing and is held back by nothing.
 *
 * What a controller says is for all nodes together, and kept in the database: each node that delivers takes its part of the rate. A
 * throttle reply counts here at once, and is told to the others with its commit; what was taken is told every five seconds.
 */
export class Pace {
  readonly #db: Database
  readonly #log: Log
  readonly #ceilings: CeilingTable
  readonly #source: SourceIdentity
  readonly #sources: KnownSources | null
  readonly #controllers: Controllers
  readonly #updates: PaceUpdates
  readonly #heard = new HeardAnswers()
  /** By destination, of those that have a ceiling for their rate. */
  readonly #ceilingBuckets = new Map<
    string,
    { readonly bucket: TokenBucket; readonly turns: RetryStagger; rate: number }
  >()
  /** By the name of a destination of its own: where its domain's mail goes. */
  readonly #destinationsOfDomains = new Map<string, string>()
  /** A relay is the same one for every mail. */
  readonly #made = new WeakMap<Destination, { readonly ceilings: BoundCeilings; readonly made: Destination }>()
  #toldMs = performance.now()
  #isTelling = false

  constructor(
    db: Database,
    parts: { log: Log; ceilings: CeilingTable; source: SourceIdentity; sources?: KnownSources | null },
  ) {
    this.#db = db
    this.#log = parts.log
    this.#ceilings = parts.ceilings
    this.#source = parts.source
    this.#sources = parts.sources ?? null
    this.#controllers = new Controllers(() => this.#now())
    this.#updates = new PaceUpdates(db, {
      log: parts.log,
      onWritten: (written) => {
        for (const one of written) this.#controllers.set(one)
        if (written.length > 0) db.signals.announce(CHANNEL)
      },
    })
  }

  /** Follows what other nodes and operators say, until the function that it gives is called. */
  async follow(): Promise<() => void> {
    const ignoreCeilings = await this.#ceilings.follow()
    const ignorePaces = await follow(this.#db, CHANNEL, () => this.#refresh())
    const tell = () => {
      if (this.#controllers.count > 0 && performance.now() - this.#toldMs >= FLUSH_EVERY_MS) void this.tell()
    }
    this.#db.presence.on('renewed', tell)
    return () => {
      this.#db.presence.off('renewed', tell)
      ignorePaces()
      ignoreCeilings()
    }
  }

  /** The destination with what it gets of this node; a domain with ceilings of its own is a destination of its own. */
  destinationFor(destination: Destination, domain: string | null, source = this.#source): Destination {
    const own = this.#ownDomain(domain)
    const ceilings = this.#ceilingsOf(destination, own, source.source)
    const connections = this.#connectionsOf(destination, ceilings, source)
    const known = this.#made.get(destination)
    if (known && known.ceilings === ceilings && known.made.maxConnections === connections) return known.made
    const made = this.#makeDestination(destination, { own, ceilings, connections })
    this.#made.set(destination, { ceilings, made })
    return made
  }

  #makeDestination(
    destination: Destination,
    { own, ceilings, connections }: { own: string | null; ceilings: BoundCeilings; connections: number },
  ): Destination {
    const timeouts = timeoutsOf(ceilings)
    if (own !== null) this.#destinationsOfDomains.set(domainAsDestination(own), destinationNameOf(destination))
    return {
      ...destination,
      ...(own !== null && { name: domainAsDestination(own), site: destination.site ?? destination.name }),
      maxConnections: connections,
      ...(ceilings.connections.origin !== 'setting' && { hasConnectionCeiling: true }),
      messagesPerConnection: ceilings.messages_per_connection.value,
      ...(timeouts && { timeouts }),
      ...(ceilings.tls.value === 'enforced' && { requireTls: true }),
    }
  }

  /** Whether a mail may go now: then it counts as gone. Otherwise when to ask again. */
  admit(way: MailTarget): Admission {
    const { destination } = way
    const { source } = way.identities
    if (destination.maxConnections === 0) return ELSEWHERE
    const held = this.#controllers.of(way)
    const { value: ceiling, isOfSource } = this.#ceilingsOf(destination, this.#ownDomain(way.domain), source).rate
    if (held.length === 0 && ceiling === null) return GO
    const now = this.#now()
    const isOneOfMany = isOfSource && this.#sources !== null
    const name = isOneOfMany ? poolNameOf(destination) : destination.name
    const limit = ceiling === null ? null : this.#ceilingBucket(name, ceiling, now)
    const share = 1 / (isOneOfMany ? this.#nodesWith(source) : this.#nodes).count
    let refusal = { waitMs: limit ? limit.bucket.wait(now, limit.rate * share) : 0, isForAll: !isOneOfMany }
    let by = limit && { turns: limit.turns, rate: limit.rate * share }
    for (const local of held) {
      const ownShare = this.#shareOf(local)
      const waitMs = local.bucket.wait(now, rateOf(local.state, ceiling) * ownShare)
      if (waitMs <= refusal.waitMs) continue
      refusal = { waitMs, isForAll: this.#isForAll(local) }
      by = { turns: local.turns, rate: local.state.rate * ownShare }
    }
    if (by && refusal.waitMs > 0 && !refusal.isForAll)
      return { ...refusal, waitMs: by.turns.next(now, refusal.waitMs, by.rate) }
    if (refusal.waitMs > 0) return refusal
    for (const local of held) local.bucket.take()
    limit?.bucket.take()
    return GO
  }

  /** Until when mail on this way is not begun, although it was let through. */
  restsUntil(way: MailTarget): Date | null {
    const held = this.#controllers.of(way)
    if (held.length === 0) return null
    const now = this.#now()
    const until = held.reduce((last, { state }) => Math.max(last, restOf(state, now) ?? 0), 0)
    return until > 0 ? new Date(until) : null
  }

  /** How much may be fetched for a destination, whatever the mail carries. */
  room(name: string): number {
    if (this.#isElsewhere(name)) return 0
    const ceiling = this.#ceilingBuckets.size > 0 ? this.#ceilingBuckets.get(name) : undefined
    const held = this.#controllers.at(this.#destinationsOfDomains.get(name) ?? name)
    if (!ceiling && !held) return Number.POSITIVE_INFINITY
    const now = this.#now()
    const share = 1 / this.#nodes.count
    const byCeiling = ceiling ? ceiling.bucket.room(now, ceiling.rate * share) : Number.POSITIVE_INFINITY
    return (held ?? []).reduce(
      (least, local) =>
        this.#isForAll(local)
          ? Math.min(least, local.bucket.room(now, local.state.rate * this.#shareOf(local)))
          : least,
      byCeiling,
    )
  }

  /** What was answered in a conversation about a mail. */
  heard(way: MailTarget, outcomes: readonly (Outcome | Untried)[], mail: AnsweredMail) {
    const about = { destination: this.#countedAs(way), sender: way.identities.spf_domain, now: this.#now() }
    const signal = this.#heard.hear(outcomes, { ...mail, ...about })
    if (!signal) return
    const { counts, cut } = signal
    if (cut) return this.#throttled(way, cut.kind, { outcome: cut.outcome, startedAt: mail.startedAt })
    for (const local of this.#controllers.of(way)) local[counts]++
  }

  /** Tells the controllers what was heard here. */
  async tell() {
    if (this.#isTelling) return
    this.#isTelling = true
    this.#toldMs = performance.now()
    const news = [...this.#controllers.all()]
      .filter(({ taken, deferred }) => taken + deferred > 0)
      .slice(0, MAX_UPDATES_PER_FLUSH)
      .map((local): PaceUpdate => {
        const { key, taken, deferred } = local
        local.taken = 0
        local.deferred = 0
        return { ...key, event: { kind: 'counted', taken, deferred }, bounds: this.#boundsOf(local) }
      })
    await this.#updates.write(news)
    this.#isTelling = false
  }

  /** For those who show them. */
  list(): (KeptPace & { readonly ceiling: number | null })[] {
    return [...this.#controllers.all()].map((local) => {
      const { key, state, reply } = local
      return { ...key, state, reply, ceiling: this.#boundsOf(local).rate }
    })
  }

  #throttled(way: MailTarget, kind: PacedKind, said: { outcome: Outcome; startedAt: number }) {
    const identity = identityOf(way.identities, kind)
    if (identity === null) return
    const { outcome, startedAt } = said
    const { serverReply = outcome.reply, class: replyClass } = outcome
    const { destination } = way
    const key = { destination: destinationNameOf(destination), kind, identity }
    const { source } = way.identities
    const ceilings = this.#ceilingsOf(destination, this.#ownDomain(way.domain), source)
    const bounds = {
      rate: ceilings.rate.value,
      connections: this.#totalOf(destination, ceilings, source),
      observedRate: this.#heard.rateOf(this.#countedAs(way), this.#now()) * this.#nodesWith(source).count,
    }
    const event = { kind: 'throttled', startedAt } as const
    // Here at once: those who stand in line go away before the database has answered.
    const step = nextPace(this.#controllers.find(key)?.state ?? null, event, { now: this.#now(), bounds })
    if (step.cause === null) return
    this.#controllers.set({ ...key, state: step.state }, serverReply)
    this.#log.info(
      { destination: key.destination, kind, identity, reply: serverReply, class: replyClass, rate: step.state!.rate },
      'delivery: destination throttled us; rate reduced',
    )
    void this.#updates.write([{ ...key, event, bounds, reply: serverReply, class: replyClass }])
  }

  async #refresh() {
    try {
      const { batches } = this.#updates
      const kept = await findPaces(this.#db)
      // What was written here meanwhile is announced, and that reads again.
      if (batches !== this.#updates.batches) return
      const known = new Set(kept.map(keyText))
      // One that was made here a moment ago may not be written down yet.
      const isOld = ({ state }: NodeController) => this.#now() - state.cutAt > UNWRITTEN_MS
      for (const local of [...this.#controllers.all()])
        if (!known.has(keyText(local.key)) && isOld(local)) this.#controllers.set({ ...local.key, state: null })
      for (const { reply, ...pace } of kept) if (!this.#updates.isCut(pace)) this.#controllers.set(pace, reply)
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error }, 'delivery: reading pace controllers failed')
    }
  }

  /** Whether all mail of this node to the destination is held back by it. */
  #isForAll(local: NodeController): boolean {
    const here = this.#sources?.here() ?? [this.#source]
    return here.every((source) => isForSource(local, source))
  }

  /** Of the rate of a controller: a source is paced by those that have it. */
  #shareOf({ key }: NodeController): number {
    return 1 / (key.kind === 'source' ? this.#nodesWith(key.identity) : this.#nodes).count
  }

  /** What one source is answered says nothing about another. */
  #countedAs({ destination, identities }: MailTarget): string {
    const name = destinationNameOf(destination)
    return this.#sources ? `${name} from ${identities.source}` : name
  }

  #boundsOf({ key, connections }: NodeController): PaceBounds {
    const { destination: name } = key
    const source = key.kind === 'source' ? key.identity : this.#source.source
    const ceilings = this.#ceilingsOf({ name, hosts: [], ...(isProvider(name) && { provider: name }) }, null, source)
    return { rate: ceilings.rate.value, connections: connections ?? ceilings.connections.value, observedRate: 0 }
  }

  #ownDomain(domain: string | null): string | null {
    return domain !== null && this.#ceilings.hasDomain(domain) ? domain.toLowerCase() : null
  }

  #ceilingsOf({ provider, site, name }: Destination, domain: string | null, source: string): BoundCeilings {
    return this.#ceilings.for({ provider, site: site ?? name, source, domain: domain ?? undefined })
  }

  /** Of all nodes together. What a setting says is for each process. */
  #totalOf({ maxConnections }: Destination, { connections }: BoundCeilings, source: string): number {
    if (connections.origin !== 'setting') return connections.value
    return (maxConnections ?? connections.value) * this.#nodesWith(source).count
  }

  /** Servers count connections by the address that they come from: each source has them for itself. */
  #connectionsOf(destination: Destination, ceilings: BoundCeilings, source: SourceIdentity): number {
    const { origin, value } = ceilings.connections
    const nodes = this.#nodesWith(source.source)
    const own = origin === 'setting' ? (destination.maxConnections ?? value) : shareOf(value, nodes)
    const held = this.#controllers.at(destinationNameOf(destination))
    if (!held || own === 0) return own
    const total = this.#totalOf(destination, ceilings, source.source)
    return held.reduce((least, local) => {
      local.connections = total
      if (!isForSource(local, source)) return least
      return Math.min(least, Math.max(1, shareOf(connectionsOf(local.state, { connections: total }), nodes)))
    }, own)
  }

  /** Other nodes have all connections that the destination gets. */
  #isElsewhere(name: string): boolean {
    if (this.#nodes.count === 1) return false
    const named = { name, hosts: [], ...(isProvider(name) && { provider: name }) }
    const domain = this.#ownDomain(name.replace(/^@/, ''))
    const isNone = ({ source }: SourceIdentity) => {
      const { origin, value } = this.#ceilingsOf(named, domain, source).connections
      return origin !== 'setting' && shareOf(value, this.#nodesWith(source)) === 0
    }
    return (this.#sources?.here() ?? [this.#source]).every(isNone)
  }

  get #nodes(): Nodes {
    return nodesOf(this.#db.presence)
  }

  #nodesWith(source: string): Nodes {
    const sources = this.#sources
    return sources ? nodesOf(this.#db.presence, (other) => sources.isOf(other, source)) : this.#nodes
  }

  #ceilingBucket(name: string, rate: number, now: number) {
    const known = this.#ceilingBuckets.get(name)
    if (known) {
      known.rate = rate
      return known
    }
    if (this.#ceilingBuckets.size >= MAX_CONTROLLERS) this.#ceilingBuckets.clear()
    const made = { bucket: new TokenBucket(now), turns: new RetryStagger(), rate }
    this.#ceilingBuckets.set(name, made)
    return made
  }

  #now(): number {
    return this.#db.clock.now().getTime()
  }
}

/** Whether it is about all mail from there. */
const isForSource = ({ key }: NodeController, source: SourceIdentity) =>
  key.kind === 'site' || ((key.kind === 'source' || key.kind === 'netblock') && key.identity === source[key.kind])

/** As the SMTP client names them; null: none is another than usual. */
function timeoutsOf(ceilings: BoundCeilings): Destination['timeouts'] | null {
  const { connect_timeout, greeting_timeout, command_timeout, message_timeout } = ceilings
  const all = [connect_timeout, greeting_timeout, command_timeout, message_timeout]
  if (all.every(({ origin }) => origin === 'built in')) return null
  return {
    connectMs: connect_timeout.value * 1_000,
    greetingMs: greeting_timeout.value * 1_000,
    commandMs: command_timeout.value * 1_000,
    finalDotMs: message_timeout.value * 1_000,
  }
}
