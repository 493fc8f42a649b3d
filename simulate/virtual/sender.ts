import type { Reply } from '../sites/replies.ts'
import type { Site, SiteConnection } from '../sites/site.ts'
import type { Answer, Pacer, Route } from '../strategies/pacer.ts'
import type { EventQueue } from './event-queue.ts'

/** The mail of one tenant for one site. */
export interface Lane {
  readonly route: Route
  /** Mail of today that was not tried yet. */
  fresh: number
  /** Mail of today that is due again. */
  readonly retries: Message[]
  wakeAtMs: number
}

export interface Message {
  readonly recipient: string
  readonly day: number
  attempts: number
}

interface Connection {
  readonly connection: SiteConnection
  sent: number
  usedMs: number
}

type Said = Omit<Answer, 'startedMs' | 'attempts' | 'recipient'>

/** What the network costs. */
const ROUND_TRIP_MS = 80
const MESSAGE_MS = 3 * ROUND_TRIP_MS
const CONNECT_MS = 3 * ROUND_TRIP_MS
const HANDSHAKE_MS = 2 * ROUND_TRIP_MS
const CONNECT_TIMEOUT_MS = 30_000
/** A connection that nobody uses is closed. */
const IDLE_MS = 5_000

const noReply = (phase: 'connect' | 'tls', text: string): Said => ({
  code: 0,
  enhanced: null,
  text,
  phase,
})

/** All mail from one source to one site: its lanes take turns, and its connections are shared. */
export class Pool {
  readonly lanes: readonly Lane[]
  /** Answers that were no for good, though the site would have taken the mail another day: a block that was read as a bounce. */
  lost = 0
  readonly #site: Site
  readonly #source: string
  readonly #pacer: Pacer
  readonly #events: EventQueue
  readonly #nextRecipient: () => string
  readonly #idle: Connection[] = []
  #day = 0
  #busy = 0
  #turn = 0

  constructor(parts: {
    site: Site
    source: string
    routes: readonly Route[]
    pacer: Pacer
    events: EventQueue
    nextRecipient: () => string
  }) {
    this.#site = parts.site
    this.#source = parts.source
    this.#pacer = parts.pacer
    this.#events = parts.events
    this.#nextRecipient = parts.nextRecipient
    this.lanes = parts.routes.map((route) => ({ route, fresh: 0, retries: [], wakeAtMs: Number.NEGATIVE_INFINITY }))
  }

  /** The mail of a new day; what is left of the last one has been withdrawn. */
  offer(day: number, perLane: number) {
    this.withdraw()
    this.#day = day
    for (const lane of this.lanes) lane.fresh = perLane
    this.#sendWhatMay()
  }

  withdraw() {
    for (const lane of this.lanes) {
      lane.fresh = 0
      lane.retries.length = 0
    }
    // What is under way comes back to a day that is over.
    this.#day = -1
  }

  #sendWhatMay() {
    for (let refusals = 0; refusals < this.lanes.length; ) {
      const lane = this.lanes[this.#turn % this.lanes.length]!
      this.#turn++
      if (this.#trySend(lane)) refusals = 0
      else refusals++
    }
  }

  #trySend(lane: Lane): boolean {
    if (lane.fresh === 0 && lane.retries.length === 0) return false
    const { nowMs } = this.#events
    if (lane.wakeAtMs > nowMs) return false
    const { connections, messagesPerConnection } = this.#pacer.concurrency(lane.route, nowMs)
    if (this.#busy >= connections) return false
    const waitMs = this.#pacer.waitMs(lane.route, nowMs)
    if (waitMs > 0) {
      lane.wakeAtMs = nowMs + waitMs
      this.#events.add(lane.wakeAtMs, () => this.#sendWhatMay())
      return false
    }
    this.#send(lane, lane.retries.shift() ?? this.#takeFresh(lane), messagesPerConnection)
    return true
  }

  #takeFresh(lane: Lane): Message {
    lane.fresh--
    return { recipient: this.#nextRecipient(), day: this.#day, attempts: 0 }
  }

  #send(lane: Lane, message: Message, messagesPerConnection: number) {
    const startedMs = this.#events.nowMs
    this.#busy++
    const { answer, tookMs, used } = this.#converse(lane, message)
    this.#events.add(startedMs + tookMs, () => {
      this.#busy--
      if (used) this.#putBack(used, messagesPerConnection)
      const { code, enhanced, text, phase } = answer
      const { recipient } = message
      this.#settle(lane, message, { code, enhanced, text, phase, recipient, startedMs, attempts: ++message.attempts })
      this.#sendWhatMay()
    })
  }

  #converse(lane: Lane, { recipient }: Message): { answer: Said; tookMs: number; used?: Connection } {
    const { nowMs } = this.#events
    const site = this.#site
    const reused = this.#takeIdle(nowMs)
    const opened = reused ? { connection: reused, tookMs: 0 } : this.#open()
    if ('answer' in opened) return opened
    const used = opened.connection
    const delayMs = site.delayMs(used.connection)
    const reply: Reply = site.transact(nowMs, used.connection, { identity: lane.route.identity, recipient })
    used.sent++
    if (reply.closes) site.disconnect(used.connection)
    return { answer: reply, tookMs: opened.tookMs + delayMs + MESSAGE_MS, used }
  }

  #open(): { answer: Said; tookMs: number } | { connection: Connection; tookMs: number } {
    const site = this.#site
    const { reachable, tls = 'none', mta_sts } = site.definition.temper
    const greeting = site.connect(this.#source)
    if (!greeting) {
      const isTimeout = reachable === 'timeout'
      const text = isTimeout ? 'The connection timed out' : 'The connection was refused'
      return { answer: noReply('connect', text), tookMs: isTimeout ? CONNECT_TIMEOUT_MS : ROUND_TRIP_MS }
    }
    if (!greeting.connection) return { answer: greeting.reply, tookMs: CONNECT_MS }
    const isEncrypted = tls !== 'none' && site.startTls()
    const tookMs = CONNECT_MS + (tls === 'none' ? 0 : HANDSHAKE_MS)
    if (!isEncrypted && mta_sts === 'enforce') {
      site.disconnect(greeting.connection)
      return { answer: noReply('tls', 'The policy of the domain asks for TLS, and the handshake failed'), tookMs }
    }
    const connection = { connection: greeting.connection, sent: 0, usedMs: this.#events.nowMs }
    // Without TLS then, in a second connection.
    return { connection, tookMs: tls === 'broken' ? 2 * tookMs : tookMs }
  }

  #takeIdle(nowMs: number): Connection | null {
    // The one that was used last goes last, so the first ones are those that time out.
    while (this.#idle.length > 0 && nowMs - this.#idle[0]!.usedMs > IDLE_MS)
      this.#site.disconnect(this.#idle.shift()!.connection)
    return this.#idle.pop() ?? null
  }

  #putBack(used: Connection, messagesPerConnection: number) {
    used.usedMs = this.#events.nowMs
    if (used.sent >= messagesPerConnection) this.#site.disconnect(used.connection)
    if (used.connection.isOpen) this.#idle.push(used)
  }

  #settle(lane: Lane, message: Message, answer: Answer) {
    const { nowMs } = this.#events
    const retryMs = this.#pacer.answered(lane.route, answer, nowMs)
    if (answer.code >= 200 && answer.code < 300) return
    if (retryMs === null) {
      if (answer.phase !== 'rcpt') this.lost++
      return
    }
    if (message.day !== this.#day) return
    this.#events.add(nowMs + retryMs, () => {
      if (message.day !== this.#day) return
      lane.retries.push(message)
      this.#sendWhatMay()
    })
  }
}
