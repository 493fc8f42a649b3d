import type { ServerResponse } from 'node:http'
import type { Database } from '../../kernel/db/database.ts'
import { OUTBOX_CHANNEL } from '../../kernel/outbox/record.ts'
import { levelOf } from '../../platform/database-errors.ts'
import { firstIdAt, isId } from '../../platform/ids.ts'
import type { Log } from '../../platform/observability/log.ts'
import { eventsAfter, type LiveEvent } from './queries.ts'

const MAX_CONNECTIONS = 1_000
const MAX_PER_TEAM = 50
/** A browser with more tabs than this gets events in the last ones; the others look again when somebody looks at them. */
const MAX_PER_SESSION = 8
/** For one that had to make room: it need not come back at once and push another one out. */
const RECONNECT_MS = 60_000
/** However much happens, a team's outbox is read this often and not more. */
const POLL_MS = 250
/** After a read that failed: whoever is not told by then waits for the next event otherwise. */
const RETRY_MS = 1_000
/** Ids are made before the commit that shows them: what is this young is looked at again. */
const OVERLAP_MS = 10_000
const MAX_EVENTS = 500
/** More than these in one message are only worth their kinds. */
const MAX_NAMED = 100
const HEARTBEAT_MS = 20_000
const MAX_UNSENT_BYTES = 256 * 1024

interface Listener {
  readonly team: string
  readonly session: string
  readonly response: ServerResponse
  /** False once the session has ended. */
  isWelcome(): Promise<boolean>
}

interface Feed {
  readonly listeners: Set<Listener>
  /** What was sent in the last moments, and when. */
  readonly sentIds: Map<string, number>
  timer: NodeJS.Timeout | null
  /** Up to when it was read, in the time of the team. */
  readUntil: number
}

/**
 * Tells open dashboards what happened, as server-sent events from the outbox. The outbox's signal wakes it; nobody polls. All
 * browsers of a team share one reading. A browser that was away names the last event it saw and gets what it missed.
 */
export class Live {
  readonly #db: Database
  readonly #log: Log
  readonly #feeds = new Map<string, Feed>()
  /** Signals come from other processes too, so they are asked for only while somebody looks. */
  #stopWatching: (() => void) | null = null
  readonly #heartbeat: NodeJS.Timeout

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref()
  }

  /**
   * Whether one more of this session may listen. The oldest of the same session makes room for it, and when all slots are taken
   * the oldest of the team that has the most of them, unless that is its own.
   */
  admit({ team, session }: { team: string; session: string }): 'room' | 'team is full' | 'full' {
    const own = [...(this.#feeds.get(team)?.listeners ?? [])]
    const ofSession = own.filter((listener) => listener.session === session)
    if (ofSession.length >= MAX_PER_SESSION) this.#letGo(ofSession[0]!)
    else if (own.length >= MAX_PER_TEAM) return 'team is full'
    else if (this.#size >= MAX_CONNECTIONS) {
      const [most] = [...this.#feeds.values()].sort((a, b) => b.listeners.size - a.listeners.size)
      if (most!.listeners.size <= own.length + 1) return 'full'
      this.#letGo([...most!.listeners][0]!)
    }
    return 'room'
  }

  get #size(): number {
    return [...this.#feeds.values()].reduce((sum, { listeners }) => sum + listeners.size, 0)
  }

  #letGo(listener: Listener) {
    this.#remove(listener)
    listener.response.end(`retry: ${RECONNECT_MS}\n\n`)
  }

  async add(listener: Listener, lastSeen: string | undefined) {
    const { team, response } = listener
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    response.write('retry: 2000\n\n')
    const now = this.#db.clock.of(team).now().getTime()
    const feed: Feed = this.#feeds.get(team) ?? {
      listeners: new Set(),
      sentIds: new Map(),
      timer: null,
      readUntil: now,
    }
    this.#feeds.set(team, feed)
    this.#stopWatching ??= this.#db.signals.watch(OUTBOX_CHANNEL, () => this.#wake())
    feed.listeners.add(listener)
    response.on('close', () => this.#remove(listener))
    // Whoever is new has read its page a moment ago, and has not been told what happened since.
    const isKnown = lastSeen !== undefined && isId(lastSeen)
    await this.#catchUp(listener, isKnown ? lastSeen : firstIdAt(new Date(now - OVERLAP_MS), team))
  }

  close() {
    this.#watchNoMore()
    clearInterval(this.#heartbeat)
    for (const { listeners, timer } of this.#feeds.values()) {
      if (timer) clearTimeout(timer)
      for (const { response } of listeners) response.end()
    }
    this.#feeds.clear()
  }

  #remove(listener: Listener) {
    const feed = this.#feeds.get(listener.team)
    feed?.listeners.delete(listener)
    if (feed?.listeners.size !== 0) return
    if (feed.timer) clearTimeout(feed.timer)
    this.#feeds.delete(listener.team)
    if (this.#feeds.size === 0) this.#watchNoMore()
  }

  #watchNoMore() {
    this.#stopWatching?.()
    this.#stopWatching = null
  }

  /** The signal does not say whose event it was: each team with an open dashboard looks once. */
  #wake() {
    for (const [team, feed] of this.#feeds) this.#readIn(POLL_MS, team, feed)
  }

  #readIn(ms: number, team: string, feed: Feed) {
    feed.timer ??= setTimeout(() => {
      feed.timer = null
      this.#read(team, feed).catch((error) => {
        this.#log[levelOf(error, 'warn')]({ error }, 'live feed: reading the outbox failed')
        if (this.#feeds.get(team) === feed) this.#readIn(RETRY_MS, team, feed)
      })
    }, ms)
  }

  async #read(team: string, feed: Feed) {
    // In the time of the team, as its ids are. Another process may have set the clock of a sandbox.
    await this.#db.forTeams([team])
    const now = this.#db.clock.of(team).now().getTime()
    // The clock of a sandbox jumps: what happened on its way counts as well.
    const from = firstIdAt(new Date(Math.min(now, feed.readUntil) - OVERLAP_MS), team)
    const found = await eventsAfter(this.#db, team, from, MAX_EVENTS)
    feed.readUntil = now
    const fresh = found.filter(({ id }) => !feed.sentIds.has(id))
    for (const { id } of fresh) feed.sentIds.set(id, now)
    for (const [id, at] of feed.sentIds) if (at < now - 2 * OVERLAP_MS) feed.sentIds.delete(id)
    if (fresh.length === 0) return
    const text = message(fresh, found.length === MAX_EVENTS)
    await Promise.all([...feed.listeners].map((listener) => this.#tell(listener, text)))
  }

  async #catchUp(listener: Listener, lastSeen: string) {
    const missed = await eventsAfter(this.#db, listener.team, lastSeen, MAX_EVENTS)
    if (missed.length > 0) await this.#tell(listener, message(missed, missed.length === MAX_EVENTS))
  }

  #beat() {
    for (const { listeners } of this.#feeds.values())
      for (const listener of listeners) this.#tell(listener, ': still here\n\n').catch(() => {})
  }

  /** A browser that does not read is let go: it comes back when it can, and asks for what it missed. */
  async #tell(listener: Listener, text: string) {
    const { response } = listener
    const isWelcome = await listener.isWelcome().catch(() => true)
    // It has left or was let go meanwhile. What is written after the end is an error that nobody catches, and would end the process.
    if (response.writableEnded || response.destroyed) return
    if (!isWelcome) return void response.end('event: end\ndata: {}\n\n')
    if (response.writableLength > MAX_UNSENT_BYTES) return void response.destroy()
    response.write(text)
  }
}

/** One message for all: what the browser needs to look at again. `isCut`: there was more, so it looks at everything. */
function message(recent: readonly LiveEvent[], isCut: boolean): string {
  const named = recent.map(({ type, about }) => ({ type, about }))
  const kinds = [...new Set(recent.map(({ type }) => type))].map((type) => ({ type, about: null }))
  const events = isCut ? [{ type: '*', about: null }] : recent.length > MAX_NAMED ? kinds : named
  return `id: ${recent.at(-1)!.id}\ndata: ${JSON.stringify(events)}\n\n`
}
