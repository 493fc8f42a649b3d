import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Presence } from './presence.ts'
import { anyRowsOf, rowsOf } from './rows.ts'
import { type Sql, sql } from './sql.ts'

const DEBOUNCE_MS = 5
/** Between two notices that go with commits. */
const CARRY_EVERY_MS = 15
/** What could not go with a commit, because another had gone just before, waits so long for the next one. */
const CARRY_WITHIN_MS = 30

/**
 * Wake-ups, inside the process and between processes. They are hints: who waits for one also looks by itself now and then.
 *
 * Work is for whoever takes it: one process is woken, and the one that does the work here before any other. A process that is woken for
 * more than it can take passes the word on. Waking all of them made each of six processes claim for every mail, and one of them found it.
 * What is only watched is told to all who watch.
 *
 * The NOTIFY is sent outside the transactions, one at a time and at most once in 5 ms: inside it serialises commits (57 % fewer at 16
 * clients). What is announced in the meantime goes with the next one, once for each process, however often it was announced.
 * But it takes a transaction id of its own, as many as everything else that an email takes. So statements that are sent often carry theirs
 * (`announceWith`), now and then: one alone always, and of a crowd one in 15 ms.
 */
export class Signals {
  readonly #presence: Presence
  readonly #channel = `postwren_${randomBytes(8).toString('hex')}`
  readonly #emitter = new EventEmitter()
  readonly #observers = new Set<() => void>()
  readonly #works = new Map<string, number>()
  readonly #watches = new Map<string, number>()
  /** By the channel of the process that is to hear it. */
  readonly #pending = new Map<string, Set<string>>()
  #isSending = false
  /** When what is pending is sent. */
  #dueAt = 0
  #carriedAt = Number.NEGATIVE_INFINITY
  /** Those who do the same work take turns. */
  #turn = 0

  constructor(presence: Presence) {
    this.#presence = presence
    this.#emitter.setMaxListeners(0)
    presence.advertise({ channel: this.#channel })
    presence.on('notification', (payload) => {
      for (const channel of payload.split(',')) this.#emitter.emit(channel)
      this.tellObservers()
    })
  }

  /** This process does the work of the channel. */
  work(channel: string, wake: () => void): () => void {
    return this.#listen(this.#works, channel, wake)
  }

  /** This process wants to hear of it as well. */
  watch(channel: string, listener: () => void): () => void {
    return this.#listen(this.#watches, channel, listener)
  }

  /**
   * Hears of everything in this process: each announcement, and whenever a worker has looked for work or ended a piece of it. For those who
   * wait for an effect whose cause they do not know, which are tests.
   */
  observe(observer: () => void): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  tellObservers() {
    for (const observer of this.#observers) observer()
  }

  /** There is something that was not there before. */
  announce(channel: string) {
    this.#tellHere(channel)
    for (const target of this.#targetsOf(channel)) this.#send(target, channel)
  }

  /**
   * Announces what a statement writes, once it has committed. `send` sends it, with a condition to be part of it: true, and PostgreSQL passes
   * the word on with the commit. Null: nobody else is to hear of it, or one went with a commit a moment ago.
   */
  async announceWith<Result>(
    channels: readonly string[],
    send: (notified: Sql | null) => Promise<Result>,
  ): Promise<Result> {
    const notices = channels.flatMap((channel) => this.#targetsOf(channel).map((target) => ({ target, channel })))
    const now = performance.now()
    const isCarried = notices.length > 0 && now - this.#carriedAt >= CARRY_EVERY_MS
    if (isCarried) this.#carriedAt = now
    // These have committed already. What commits meanwhile may do so after this one, and is told by itself.
    const earlier = isCarried ? notices.filter(({ target, channel }) => this.#pending.get(target)?.delete(channel)) : []
    let untold = earlier
    try {
      const result = await send(isCarried ? notifiedOf(notices) : null)
      untold = isCarried ? [] : notices
      for (const channel of channels) this.#tellHere(channel)
      return result
    } finally {
      for (const { target, channel } of untold) this.#send(target, channel, CARRY_WITHIN_MS)
    }
  }

  /** Another process does the work of the channel, as of the last heartbeat. */
  hasPeer(channel: string): boolean {
    return this.#workersOf(channel).length > 0
  }

  #workersOf(channel: string) {
    return this.#presence.others.filter(({ works }) => works.includes(channel))
  }

  /** There is more of it than this process can take. */
  wakePeer(channel: string) {
    for (const target of this.#nextWorker(channel)) this.#send(target, channel)
  }

  #tellHere(channel: string) {
    this.#emitter.emit(channel)
    this.tellObservers()
  }

  /** Who is to hear of it besides this process. */
  #targetsOf(channel: string): string[] {
    const watchers = this.#presence.others.filter(({ watches }) => watches.includes(channel))
    const workers = this.#works.has(channel) ? [] : this.#nextWorker(channel)
    return [...watchers.map((other) => other.channel), ...workers]
  }

  /** None, where nobody else does the work. */
  #nextWorker(channel: string): string[] {
    const workers = this.#workersOf(channel)
    return workers.length > 0 ? [workers[this.#turn++ % workers.length]!.channel] : []
  }

  /** Each of the others may take it. */
  wakePeers(channel: string) {
    for (const { works, channel: target } of this.#presence.others)
      if (works.includes(channel)) this.#send(target, channel)
  }

  /** Counted: a channel is let go of when the last one who listens to it does. */
  #listen(counts: Map<string, number>, channel: string, listener: () => void): () => void {
    counts.set(channel, (counts.get(channel) ?? 0) + 1)
    this.#advertise()
    this.#emitter.on(channel, listener)
    return () => {
      this.#emitter.off(channel, listener)
      const left = counts.get(channel)! - 1
      if (left > 0) counts.set(channel, left)
      else counts.delete(channel)
      this.#advertise()
    }
  }

  #advertise() {
    this.#presence.advertise({ works: [...this.#works.keys()], watches: [...this.#watches.keys()] })
  }

  #send(target: string, channel: string, withinMs = DEBOUNCE_MS) {
    const dueAt = performance.now() + withinMs
    if (this.#pending.size === 0 || dueAt < this.#dueAt) {
      this.#dueAt = dueAt
      setTimeout(() => this.#notify(), withinMs).unref()
    }
    const pending = this.#pending.get(target)
    if (pending) pending.add(channel)
    else this.#pending.set(target, new Set([channel]))
  }

  async #notify() {
    if (this.#isSending) return
    const notices = payloadsOf(this.#pending)
    this.#pending.clear()
    if (notices.length === 0) return
    this.#isSending = true
    await this.#presence
      .query(sql`select pg_notify(target, payload) from ${rowsOf(notices, { target: 'text', payload: 'text' })}`)
      .catch(() => {})
    this.#isSending = false
    if (this.#pending.size > 0) setTimeout(() => this.#notify(), DEBOUNCE_MS).unref()
  }
}

/** By process, what it is to hear of. What went with a commit meanwhile is not in it any more. */
const payloadsOf = (pending: ReadonlyMap<string, ReadonlySet<string>>) =>
  [...pending].flatMap(([target, channels]) => (channels.size > 0 ? [{ target, payload: [...channels].join() }] : []))

/** A condition that is true, and sends notices when it is asked for: once, before the first row. */
function notifiedOf(notices: readonly { readonly target: string; readonly channel: string }[]): Sql {
  const byTarget = new Map<string, Set<string>>()
  for (const { target, channel } of notices) byTarget.set(target, (byTarget.get(target) ?? new Set()).add(channel))
  return sql`(select count(pg_notify(target, payload)) from ${anyRowsOf(payloadsOf(byTarget), { target: 'text', payload: 'text' })}) >= 0`
}
