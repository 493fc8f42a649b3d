import { fractionOf } from '../random.ts'
import { PHRASES, type Phase, type Phrases, type Reply, replyOf, type Subject } from './replies.ts'
import { SenderReputation } from './sender-reputation.ts'
import { IDENTITY_KINDS, type Identity, type IdentityKind, type SiteDefinition } from './site-policy.ts'

/** What a site saw and did. */
export interface SiteCounts {
  connections: number
  connectionsRefused: number
  brokenHandshakes: number
  /** Messages that a sender began to give. */
  offered: number
  taken: number
  /** Of a sender that brought more than the limit. */
  throttled: number
  greylisted: number
  /** For good: unknown recipients, and sites that take nothing. */
  refused: number
  /** While the sender was blocked. */
  refusedBlocked: number
  /** Closed after the most messages for a connection. */
  cutOff: number
  escalations: number
  blocks: number
}

/** One connection, as the site sees it. */
export interface SiteConnection {
  readonly source: string
  messages: number
  isOpen: boolean
}

const GREETED: Reply = { code: 220, enhanced: null, text: 'ESMTP ready', phase: 'connect', closes: false }
const TAKEN: Reply = { code: 250, enhanced: '2.0.0', text: 'OK, queued', phase: 'data', closes: false }

/** Greylisted mail that never came back, and senders that are known: no site remembers all. */
const MAX_TRIPLES = 200_000

/** What can be judged when: the source by its address, the SPF domain at MAIL, what the message says only with the message. */
const JUDGED_AT: Record<IdentityKind, Phase> = {
  source: 'mail',
  spf_domain: 'mail',
  dkim_domain: 'data',
  url_domain: 'data',
  tenant: 'data',
}

/**
 * A receiving site with its hidden temper. It has no clock, no sockets and no randomness: the time and what a sender does go in, replies come
 * out, and it counts. The same temper is behind the virtual month and behind the mail servers on loopback.
 */
export class Site {
  readonly definition: SiteDefinition
  readonly counts: SiteCounts = {
    connections: 0,
    connectionsRefused: 0,
    brokenHandshakes: 0,
    offered: 0,
    taken: 0,
    throttled: 0,
    greylisted: 0,
    refused: 0,
    refusedBlocked: 0,
    cutOff: 0,
    escalations: 0,
    blocks: 0,
  }
  readonly #phrases: Phrases
  readonly #open = new Map<string, number>()
  /** Replies by their line: few, and said often. */
  readonly #said = new Map<string, Reply>()
  /** When mail of a sender to a recipient was first seen. */
  readonly #triples = new Map<string, number>()
  /** What it thinks of whom, by kind and name. */
  readonly #judged: readonly { readonly kind: IdentityKind; readonly standings: Map<string, SenderReputation> }[]

  constructor(definition: SiteDefinition) {
    this.definition = definition
    this.#phrases = PHRASES[definition.voice]
    const { limits = [], warm_up } = definition.temper
    // Everybody is known by the source, so that it can be blocked.
    this.#judged = IDENTITY_KINDS.filter(
      (kind) => kind === 'source' || warm_up?.by === kind || limits.some(({ by }) => by === kind),
    ).map((kind) => ({ kind, standings: new Map() }))
  }

  /** Null: nobody answers. */
  connect(source: string): { reply: Reply; connection: SiteConnection | null } | null {
    const { reachable = 'yes', max_connections = Number.POSITIVE_INFINITY } = this.definition.temper
    if (reachable !== 'yes') return null
    const open = this.#open.get(source) ?? 0
    if (open >= max_connections) {
      this.counts.connectionsRefused++
      return { reply: replyOf(this.#phrases.tooManyConnections, 'connect'), connection: null }
    }
    this.counts.connections++
    this.#open.set(source, open + 1)
    return { reply: GREETED, connection: { source, messages: 0, isOpen: true } }
  }

  disconnect(connection: SiteConnection) {
    if (!connection.isOpen) return
    connection.isOpen = false
    this.#open.set(connection.source, this.#open.get(connection.source)! - 1)
  }

  /** Whether a handshake ends well. */
  startTls(): boolean {
    if (this.definition.temper.tls === 'broken') this.counts.brokenHandshakes++
    return this.definition.temper.tls === 'good'
  }

  /** How late it answers in this connection. */
  delayMs({ messages }: SiteConnection): number {
    const { tarpit } = this.definition.temper
    return tarpit && messages >= tarpit.after_messages ? tarpit.delay_seconds * 1_000 : 0
  }

  /** MAIL. Null is a yes, here and below. */
  mail(nowMs: number, connection: SiteConnection, identity: Pick<Identity, 'source' | 'spf_domain'>): Reply | null {
    const { max_messages_per_connection = Number.POSITIVE_INFINITY } = this.definition.temper
    this.counts.offered++
    if (connection.messages < max_messages_per_connection) return this.#judge(nowMs, 'mail', identity)
    this.counts.cutOff++
    return replyOf(this.#phrases.tooManyMessages, 'mail')
  }

  /** RCPT. */
  recipient(nowMs: number, { source, spf_domain }: Pick<Identity, 'source' | 'spf_domain'>, recipient: string) {
    const { refuses_all, unknown_share = 0, greylist_seconds } = this.definition.temper
    if (refuses_all || (unknown_share > 0 && fractionOf(`${this.definition.name} ${recipient}`) < unknown_share)) {
      this.counts.refused++
      return replyOf(refuses_all ? this.#phrases.refused : this.#phrases.unknownUser, 'rcpt')
    }
    if (greylist_seconds === undefined) return null
    const triple = `${source} ${spf_domain} ${recipient}`
    const firstMs = this.#triples.get(triple)
    if (firstMs !== undefined && nowMs - firstMs >= greylist_seconds * 1_000) return null
    if (firstMs === undefined) this.#triples.set(triple, nowMs)
    if (this.#triples.size > MAX_TRIPLES) this.#triples.delete(this.#triples.keys().next().value!)
    this.counts.greylisted++
    return replyOf(this.#phrases.greylisted, 'rcpt')
  }

  /** The whole message has come. */
  message(nowMs: number, connection: SiteConnection, identity: Identity): Reply {
    const objection = this.#judge(nowMs, 'data', identity)
    if (objection) return objection
    for (const { kind, standings } of this.#judged) standings.get(identity[kind])!.take()
    this.counts.taken++
    connection.messages++
    const { closes_silently, max_messages_per_connection } = this.definition.temper
    const isLast = closes_silently === true && connection.messages === max_messages_per_connection
    return isLast ? { ...TAKEN, closes: true } : TAKEN
  }

  /** All of it, for whoever has no dialogue. */
  transact(
    nowMs: number,
    connection: SiteConnection,
    { identity, recipient }: { identity: Identity; recipient: string },
  ) {
    return (
      this.mail(nowMs, connection, identity) ??
      this.recipient(nowMs, identity, recipient) ??
      this.message(nowMs, connection, identity)
    )
  }

  /** For each identity that had to warm up: since which day it has the whole limit, or null. */
  get warmth(): (number | null)[] {
    const standings = this.#judged.flatMap((one) => [...one.standings.values()])
    return standings.filter(({ isWarming }) => isWarming).map(({ warmSinceDay }) => warmSinceDay)
  }

  #judge(nowMs: number, phase: Phase, identity: Partial<Identity>): Reply | null {
    for (const { kind, standings } of this.#judged) {
      if (JUDGED_AT[kind] !== phase) continue
      const value = identity[kind]!
      let standing = standings.get(value)
      if (!standing) {
        standing = new SenderReputation(this.definition.temper, kind, nowMs)
        standings.set(value, standing)
      }
      const answer = standing.ask(nowMs)
      if (answer === 'welcome') continue
      const subject = { kind, value }
      if (answer === 'blocked' || answer === 'newly_blocked') {
        if (answer === 'newly_blocked') this.counts.blocks++
        this.counts.refusedBlocked++
        return this.#say('blocked', subject, phase)
      }
      this.counts.throttled++
      if (answer === 'escalated') this.counts.escalations++
      return this.#say(answer, subject, phase)
    }
    return null
  }

  #say(what: 'throttled' | 'escalated' | 'blocked', subject: Subject, phase: Phase): Reply {
    const line = this.#phrases[what](subject)
    let reply = this.#said.get(line)
    if (!reply) {
      reply = replyOf(line, phase)
      this.#said.set(line, reply)
    }
    return reply
  }
}
