import type { Clock } from '../../platform/clock.ts'
import type { Destination, Host } from './destination.ts'
import { type Failure, isFailure } from './failure.ts'
import { Rest } from './rest.ts'
import type { ClientSession } from './session.ts'

export interface PoolLimits {
  readonly messagesPerConnection: number
  readonly idleMs: number
  readonly firstPauseMs: number
  readonly maxPauseMs: number
}

/** `late`: there was no room within the time that one was ready to wait. */
export type Entry = 'entered' | 'paused' | 'closed' | 'late'

const AVOID_HOST_MS = 60_000
/** Servers that cannot do what they offer are not mended within minutes, and three more round trips do no harm. */
const AVOID_PIPELINING_MS = 3_600_000

/** Somebody in line. */
interface Waiter {
  finish(entry: Entry): void
  readonly restsUntil: () => Date | null
}

const NO_REST = () => null

/** The way to one destination: who is on it, who waits, and the sessions that can be used again. */
export class DestinationPool {
  /** Of a destination that could not be talked to. */
  readonly rest: Rest
  readonly #clock: Clock
  readonly #limits: PoolLimits
  readonly #idle = new Map<ClientSession, NodeJS.Timeout>()
  /** Said goodbye to: they are connections until the other side has closed them. */
  readonly #closing = new Set<ClientSession>()
  #onClosed: (() => void)[] = []
  /** In the order of asking; those of low priority after all others. */
  readonly #waiting = { urgent: new Set<Waiter>(), low: new Set<Waiter>() }
  #maxConnections: number
  #messagesPerConnection: number
  #isCeiling = false
  /** By address: until when a host that did not answer is tried last. Otherwise each connection waits for the dead one first. */
  readonly #avoided = new Map<string, number>()
  /** By address: until when a host is asked one thing at a time, although it offers more. */
  readonly #sequential = new Map<string, number>()
  #active = 0
  /** Of those on the way: who has been for so long that others go on without waiting for them. */
  #slow = 0
  /** In use, or being opened. Who has entered and is kept from beginning has none yet. */
  #sessionsOut = 0
  #isClosed = false

  constructor(options: { clock: Clock; maxConnections: number; limits: PoolLimits }) {
    this.#clock = options.clock
    this.#limits = options.limits
    this.#maxConnections = options.maxConnections
    this.#messagesPerConnection = options.limits.messagesPerConnection
    this.rest = new Rest({ ...options.limits, clock: options.clock })
  }

  /** What it gets may change with what it says. */
  allow(
    maxConnections: number,
    {
      messagesPerConnection = this.#limits.messagesPerConnection,
      hasConnectionCeiling = false,
    }: Pick<Destination, 'messagesPerConnection' | 'hasConnectionCeiling'>,
  ) {
    this.#maxConnections = maxConnections
    this.#messagesPerConnection = messagesPerConnection
    this.#isCeiling = hasConnectionCeiling
  }

  /** Who entered must leave. `restsUntil` tells until when this mail in particular is not wanted. */
  enter({
    waitMs = Number.POSITIVE_INFINITY,
    isLowPriority = false,
    restsUntil = NO_REST,
  }: {
    waitMs?: number
    isLowPriority?: boolean
    restsUntil?: (() => Date | null) | undefined
  } = {}): Promise<Entry> {
    if (this.#isClosed) return Promise.resolve('closed')
    if (this.rest.until || restsUntil()) return Promise.resolve('paused')
    if (this.#active < this.#maxConnections) {
      this.#active++
      return Promise.resolve('entered')
    }
    return this.#waitInLine({ waitMs, restsUntil }, isLowPriority ? this.#waiting.low : this.#waiting.urgent)
  }

  leave({ isSlow = false } = {}) {
    if (isSlow) this.#slow--
    else this.#active--
    this.#admit()
  }

  /**
   * A conversation that takes long lets the next one begin, as long as there are no more such than connections are allowed: five
   * recipients whose server takes ten minutes to answer do not keep everybody else at that provider. It says whether it did.
   */
  makeWay(): boolean {
    if (this.#isCeiling || this.#slow >= this.#maxConnections) return false
    this.#slow++
    this.#active--
    this.#admit()
    return true
  }

  #admit() {
    this.#closeIdle()
    if (this.rest.until) return this.#sendAway('paused')
    for (const waiter of this.#inLine()) {
      if (waiter.restsUntil()) {
        waiter.finish('paused')
        continue
      }
      if (this.#active >= this.#maxConnections) return
      this.#active++
      waiter.finish('entered')
    }
  }

  /** The session used last: the others get a chance to grow old and be closed. */
  takeIdle(isSuitable: (session: ClientSession) => boolean): ClientSession | null {
    const session = [...this.#idle.keys()].reverse().find((one) => one.isOpen && isSuitable(one))
    if (!session) return null
    this.#forget(session)
    this.#sessionsOut++
    return session
  }

  /** Within the limit: as many idle ones are closed as it takes. Who gets a session must put it back. */
  async open(reach: () => Promise<ClientSession | Failure>): Promise<ClientSession | Failure> {
    this.#sessionsOut++
    this.#closeIdle()
    // A second at most: who does not answer a goodbye is hung up on.
    while (this.#closing.size > 0 && this.#counted + this.#closing.size > this.#maxConnections)
      await new Promise<void>((resolve) => this.#onClosed.push(resolve))
    const session = await reach()
    if (isFailure(session)) this.#sessionsOut--
    return session
  }

  putBack(session: ClientSession) {
    this.#sessionsOut--
    if (!session.isOpen) return session.destroy()
    if (this.#isClosed || session.transactions >= this.#messagesPerConnection) return this.#quit(session)
    session.onEnd = () => this.#forget(session)
    this.#idle.set(session, setTimeout(() => this.#dismiss(session), this.#limits.idleMs).unref())
  }

  avoid(host: Host) {
    this.#avoided.set(keyOf(host), this.#nowMs() + AVOID_HOST_MS)
  }

  inOrder(hosts: readonly Host[]): Host[] {
    const isAvoided = (host: Host) => this.#isListed(this.#avoided, host)
    return [...hosts.filter((host) => !isAvoided(host)), ...hosts.filter(isAvoided)]
  }

  /** What it offers as PIPELINING does not work. */
  avoidPipelining(host: Host) {
    this.#sequential.set(keyOf(host), this.#nowMs() + AVOID_PIPELINING_MS)
  }

  mayPipeline(host: Host): boolean {
    return !this.#isListed(this.#sequential, host)
  }

  /** Whether something was learnt about its hosts that should not be forgotten yet. */
  get hasLearnt(): boolean {
    return [...this.#sequential.values()].some((untilMs) => untilMs > this.#nowMs())
  }

  /** Lets nobody in any more. Who is on the way may finish. */
  close() {
    this.#isClosed = true
    this.#sendAway('closed')
    for (const session of this.#idle.keys()) this.#dismiss(session)
  }

  get connections(): number {
    return this.#active + this.#slow + this.#idle.size
  }

  get load() {
    const waiting = this.#waiting.urgent.size + this.#waiting.low.size
    return { active: this.#active + this.#slow, idle: this.#idle.size, waiting, limit: this.#maxConnections }
  }

  *#inLine() {
    yield* this.#waiting.urgent
    yield* this.#waiting.low
  }

  #waitInLine(
    { waitMs, restsUntil }: { waitMs: number; restsUntil: () => Date | null },
    line: Set<Waiter>,
  ): Promise<Entry> {
    return new Promise((resolve) => {
      const finish = (entry: Entry) => {
        clearTimeout(timer)
        line.delete(waiter)
        resolve(entry)
      }
      const waiter = { finish, restsUntil }
      const timer = waitMs < Number.POSITIVE_INFINITY ? setTimeout(finish, waitMs, 'late').unref() : undefined
      line.add(waiter)
    })
  }

  /** Closes idle sessions until those in use, and no more, fit the limit. */
  #closeIdle() {
    for (const session of this.#idle.keys()) {
      if (this.#counted <= this.#maxConnections) return
      this.#dismiss(session)
    }
  }

  #sendAway(entry: Entry) {
    for (const { finish } of this.#inLine()) finish(entry)
  }

  /** Sessions that the limit is about. */
  get #counted(): number {
    return this.#sessionsOut - this.#slow + this.#idle.size
  }

  #dismiss(session: ClientSession) {
    this.#forget(session)
    this.#quit(session)
  }

  #quit(session: ClientSession) {
    if (!session.isOpen) return session.destroy()
    this.#closing.add(session)
    session.onEnd = () => {
      this.#closing.delete(session)
      const waiting = this.#onClosed
      this.#onClosed = []
      for (const look of waiting) look()
    }
    session.quit()
  }

  #forget(session: ClientSession) {
    clearTimeout(this.#idle.get(session))
    this.#idle.delete(session)
    session.onEnd = () => {}
  }

  #isListed(list: Map<string, number>, host: Host): boolean {
    for (const [key, untilMs] of list) if (untilMs <= this.#nowMs()) list.delete(key)
    return list.has(keyOf(host))
  }

  #nowMs(): number {
    return this.#clock.now().getTime()
  }
}

const keyOf = (host: Host) => `${host.address}:${host.port}`
