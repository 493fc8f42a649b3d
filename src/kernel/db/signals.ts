import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Presence } from './presence.ts'
import { rowsOf } from './rows.ts'
import { sql } from './sql.ts'

const DEBOUNCE_MS = 5

/**
 * Wake-ups, inside the process and between processes. They are hints: who waits for one also looks by itself now and then.
 *
 * Work is for whoever takes it: one process is woken, and the one that does the work here before any other. A process that is woken for
 * more than it can take passes the word on. Waking all of them made each of six processes claim for every mail, and one of them found it.
 * What is only watched is told to all who watch.
 *
 * The NOTIFY is sent outside the transactions, one at a time and at most once in 5 ms: inside it serialises commits (57 % fewer at 16
 * clients). What is announced in the meantime goes with the next one, once for each process, however often it was announced.
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
    this.#emitter.emit(channel)
    this.tellObservers()
    for (const other of this.#presence.others) if (other.watches.includes(channel)) this.#send(other.channel, channel)
    if (!this.#works.has(channel)) this.wakePeer(channel)
  }

  /** There is more of it than this process can take. */
  wakePeer(channel: string) {
    const workers = this.#presence.others.filter(({ works }) => works.includes(channel))
    if (workers.length > 0) this.#send(workers[this.#turn++ % workers.length]!.channel, channel)
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

  #send(target: string, channel: string) {
    if (this.#pending.size === 0 && !this.#isSending) setTimeout(() => this.#notify(), DEBOUNCE_MS).unref()
    const pending = this.#pending.get(target)
    if (pending) pending.add(channel)
    else this.#pending.set(target, new Set([channel]))
  }

  async #notify() {
    this.#isSending = true
    const notices = [...this.#pending].map(([target, channels]) => ({ target, payload: [...channels].join() }))
    this.#pending.clear()
    await this.#presence
      .query(sql`select pg_notify(target, payload) from ${rowsOf(notices, { target: 'text', payload: 'text' })}`)
      .catch(() => {})
    this.#isSending = false
    if (this.#pending.size > 0) setTimeout(() => this.#notify(), DEBOUNCE_MS).unref()
  }
}
