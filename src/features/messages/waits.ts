import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../kernel/db/database.ts'
import { currentSnapshot, endedBefore, type Snapshot } from '../../kernel/db/snapshots.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { OUTBOX_CHANNEL } from '../../kernel/outbox/record.ts'
import type { Steps } from '../../mail/steps.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { levelOf } from '../../platform/database-errors.ts'
import { groupBy } from '../../platform/group-by.ts'
import type { Log } from '../../platform/observability/log.ts'
import { type Arrival, MAX_ARRIVALS, type Position, readArrivals } from './arrivals.ts'
import type { Head, Matcher, Words } from './match.ts'
import { findHeads, findWords } from './queries.ts'

/** Somebody who waits for messages. */
export interface Waiter {
  readonly team: string
  readonly matcher: Matcher
  /** A message came that fits. It may have been offered before. */
  offer(head: Head, position: Position): void
  /** All that fits was offered of what has come, and all transactions before this one have ended. */
  advanceTo(horizon: bigint): void
  /** More came than anybody can tell: it looks by itself. */
  lookAgain(): void
}

const MAX_WAITS_PER_TEAM = 100
/** Half of the connections that a process takes (`src/kernel/http/connections.ts`): whoever wants something else finds one free. */
const MAX_WAITS = 2_500

/** For each millisecond that a look has taken: so many waits for so much mail take no more than a third of a connection. */
const PAUSE = 2
const MAX_PAUSE_MS = 500
/** Others learn within two beats that this process listens. Until then it looks by itself, and later now and then: words can be lost. */
const UNKNOWN_MS = 3_000
const POLL_WHILE_UNKNOWN_MS = 250
const POLL_MS = 5_000
/** Tests wait again and again. */
const LISTEN_ON_MS = 60_000
const WITH_WORDS = 50

/**
 * All who wait for messages in this process. They hold no connection and ask nobody: the outbox's signal wakes one look for all of them
 * together, and what came is offered to those that it fits. Whoever is added looks by itself once; whatever is not there yet then is offered.
 */
export class MessageWaits {
  readonly #db: Database
  readonly #log: Log
  readonly #waiting = new Map<string, Set<Waiter>>()
  #size = 0
  #snapshot: Snapshot | null = null
  /** The look that is under way, and the one that begins behind it. They never fail. */
  #current: Promise<boolean> = Promise.resolve(true)
  #next: Promise<boolean> | null = null
  #isPolling = false
  #earliest = 0
  #isAway = false
  #listening: { stop(): void; readonly since: number } | null = null
  #timer: NodeJS.Timeout | null = null
  readonly #stop = new AbortController()

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
    setMaxListeners(0, this.#stop.signal)
  }

  get size(): number {
    return this.#size
  }

  /** Aborted when the process stops. */
  get stopping(): AbortSignal {
    return this.#stop.signal
  }

  /** Once this resolves, nothing that the caller does not see by itself is missed. Gives how to leave. */
  async add(waiting: Waiter): Promise<() => void> {
    this.#requireCapacity(waiting.team)
    const own = this.#waiting.get(waiting.team) ?? new Set()
    this.#waiting.set(waiting.team, own.add(waiting))
    this.#size += 1
    let isThere = true
    const leave = () => {
      if (!isThere) return
      isThere = false
      this.#remove(waiting)
    }
    try {
      this.#listen()
      // A look that is under way does not look for this team, and may see what comes now.
      if (this.#snapshot === null || this.#isPolling) await this.look()
      if (this.#snapshot === null) throw new Problem('service_unavailable', 'Database unavailable, retry.')
      return leave
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Resolves when everything was offered that had committed before: true, or false if nobody could look. */
  look(): Promise<boolean> {
    this.#next ??= this.#pollNext()
    return this.#next
  }

  /** The time of somebody who waits: `end` is called when it is over, unless the function that this gives was called before. */
  startTimer(ms: number, end: () => void): () => void {
    const timer = setTimeout(end, ms)
    return () => clearTimeout(timer)
  }

  /** Lets go of all who wait, so that nobody waits for them. */
  close() {
    this.#stop.abort()
    this.#listening?.stop()
    this.#listening = null
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #requireCapacity(team: string) {
    if (this.#stop.signal.aborted) throw stopping()
    if ((this.#waiting.get(team)?.size ?? 0) >= MAX_WAITS_PER_TEAM)
      throw new Problem('rate_limit_exceeded', `At most ${MAX_WAITS_PER_TEAM} calls can wait at once.`, {
        'retry-after': 1,
      })
    if (this.#size >= MAX_WAITS)
      throw new Problem('service_unavailable', 'Too many calls are waiting, retry.', { 'retry-after': 1 })
  }

  #remove(waiting: Waiter) {
    const own = this.#waiting.get(waiting.team)
    own?.delete(waiting)
    if (own?.size === 0) this.#waiting.delete(waiting.team)
    this.#size -= 1
    if (this.#size === 0) this.#schedule(LISTEN_ON_MS)
  }

  #listen() {
    if (!this.#listening) {
      const stop = this.#db.signals.watch(OUTBOX_CHANNEL, () => this.#wake())
      this.#listening = { stop, since: performance.now() }
      this.#schedule(POLL_WHILE_UNKNOWN_MS)
    } else if (this.#size === 1) this.#schedule(this.#pollMs(this.#listening.since))
  }

  #wake() {
    if (this.#size > 0) void this.look()
  }

  /** The next look that nobody has asked for; without anybody who waits, the end of listening. */
  #schedule(ms: number) {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#onTimer(), ms).unref()
  }

  #onTimer() {
    this.#timer = null
    if (!this.#listening) return
    if (this.#size === 0) {
      this.#listening.stop()
      this.#listening = null
      this.#snapshot = null
      return
    }
    this.#schedule(this.#pollMs(this.#listening.since))
    void this.look()
  }

  #pollMs(listeningSince: number): number {
    const isKnown = performance.now() - listeningSince > UNKNOWN_MS
    return isKnown && !this.#isAway ? POLL_MS : POLL_WHILE_UNKNOWN_MS
  }

  async #pollNext(): Promise<boolean> {
    await this.#current
    const early = this.#earliest - performance.now()
    if (early > 0) await pause(early, undefined, { ref: false })
    this.#next = null
    this.#current = this.#pollOnce()
    return this.#current
  }

  async #pollOnce(): Promise<boolean> {
    const begin = performance.now()
    this.#isPolling = true
    try {
      await this.#read()
      this.#isAway = false
    } catch (error) {
      if (!this.#isAway) this.#log[levelOf(error, 'warn')]({ error }, 'wait: polling failed')
      this.#isAway = true
    }
    this.#isPolling = false
    const end = performance.now()
    this.#earliest = end + Math.min(MAX_PAUSE_MS, PAUSE * (end - begin))
    return !this.#isAway
  }

  async #read() {
    const teams = [...this.#waiting.keys()]
    if (this.#snapshot === null || teams.length === 0) {
      this.#snapshot = await currentSnapshot(this.#db)
      return
    }
    const { snapshot, arrivals } = await readArrivals(this.#db, teams, this.#snapshot)
    if (arrivals.length > 0) await this.#tell(arrivals, endedBefore(snapshot))
    // Not before: what could not be told is looked for again, and nobody minds to be told twice.
    this.#snapshot = snapshot
  }

  async #tell(arrivals: readonly Arrival[], horizon: bigint) {
    const heads = new Map((await findHeads(this.#db, arrivals)).map((head) => [head.id, head]))
    for (const [team, own] of groupBy(arrivals, (arrival) => arrival.team)) {
      // One that was deleted meanwhile has no head.
      const came = own.flatMap(({ id, position }) => (heads.has(id) ? [{ head: heads.get(id)!, position }] : []))
      await this.#offer(team, came)
      for (const waiting of this.#of(team))
        if (own.length >= MAX_ARRIVALS) waiting.lookAgain()
        else waiting.advanceTo(horizon)
    }
  }

  #of(team: string): Waiter[] {
    return [...(this.#waiting.get(team) ?? [])]
  }

  /** By their heads first. Words are loaded once, whoever wants them. */
  async #offer(team: string, came: readonly Came[]) {
    const open = await inTurns(offerByHead(this.#of(team), came))
    for (let at = 0; at < open.length; at += WITH_WORDS) {
      const some = open.slice(at, at + WITH_WORDS)
      const rows = await findWords(
        this.#db,
        team,
        some.map(({ head }) => head),
      )
      await inTurns(offerByWords(some, new Map(rows.map((row) => [row.id, row]))))
    }
  }
}

export const stopping = () => new Problem('stopping', 'The service is stopping, retry.', { 'retry-after': 1 })

interface Came {
  readonly head: Head
  readonly position: Position
}

/** Those whose words decide, with those who want to know. */
type Open = Came & { readonly by: readonly Waiter[] }

function* offerByHead(all: readonly Waiter[], came: readonly Came[]): Steps<Open[]> {
  const open: Open[] = []
  for (const { head, position } of came) {
    const by: Waiter[] = []
    for (const waiting of all) {
      const verdict = waiting.matcher.byHead(head)
      if (verdict === true) waiting.offer(head, position)
      if (verdict === 'words') by.push(waiting)
      yield
    }
    if (by.length > 0) open.push({ head, position, by })
  }
  return open
}

function* offerByWords(open: readonly Open[], words: ReadonlyMap<string, Words>): Steps<void> {
  for (const { head, position, by } of open)
    for (const waiting of by) {
      if (waiting.matcher.byWords(head, words.get(head.id) ?? { text: null, html: null })) waiting.offer(head, position)
      yield
    }
}
