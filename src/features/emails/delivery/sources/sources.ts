import { type ClientSource, poolNameOf } from '../../../../adapters/smtp-client/destination.ts'
import { tryToBind } from '../../../../adapters/smtp-client/try-to-bind.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import {
  poolFor,
  preferenceOf,
  type Source,
  type SourcedMail,
  type SourceSettings,
} from '../../../../mail/sources/sources.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import { type KnownSources, type SourceIdentity, sourceIdentity } from '../pace/identity.ts'
import type { QueueKey } from '../transport/destination-queues.ts'
import { channelOf, queueOfSource, sourceOfQueue } from './source-names.ts'
import { WarmUps } from './warm-ups.ts'

const BIND_EVERY_MS = 30_000
const WARN_EVERY_MS = 60_000

/** A source that a mail could leave from. */
export interface Candidate {
  readonly source: Source
  readonly identity: SourceIdentity
  readonly client: ClientSource
  /** Whether this process has it. Otherwise another one has. */
  readonly isHere: boolean
}

/**
 * The addresses that mail leaves from, of all machines of an installation. Each process uses those that its machine has, and leaves mail for
 * others to the processes that have them. Addresses may come and go while it runs.
 */
export class Sources implements KnownSources {
  readonly settings: SourceSettings
  readonly warmUps: WarmUps
  readonly #db: Database
  readonly #log: Log
  readonly #canBind: (address: string) => Promise<boolean>
  readonly #all: ReadonlyMap<string, Omit<Candidate, 'isHere'>>
  readonly #ignoreByName = new Map<string, () => void>()
  #here: readonly SourceIdentity[] = []
  #boundMs = Number.NEGATIVE_INFINITY
  #warnedMs = Number.NEGATIVE_INFINITY

  constructor(
    db: Database,
    parts: { log: Log; settings: SourceSettings; canBind?: ((address: string) => Promise<boolean>) | undefined },
  ) {
    this.#db = db
    this.#log = parts.log
    this.settings = parts.settings
    this.warmUps = new WarmUps(db, parts.log)
    this.#canBind = parts.canBind ?? (async (address) => (await tryToBind(address)) === null)
    this.#all = new Map(
      parts.settings.sources.map((source) => {
        const { name, addresses, ehlo: heloName } = source
        return [name, { source, identity: sourceIdentity(addresses), client: { name, addresses, heloName } }]
      }),
    )
  }

  /** Lets the others know what this process has, and fetches what they leave to it, until the function that it gives is called. */
  async follow(fetch: (queue: QueueKey) => void): Promise<() => void> {
    this.#ignoreByName.clear()
    await this.#bind(fetch)
    const bindAgain = () => {
      if (performance.now() - this.#boundMs >= BIND_EVERY_MS) void this.#bind(fetch)
    }
    this.#db.presence.on('renewed', bindAgain)
    const ignoreWarmUps = this.warmUps.follow()
    return () => {
      this.#db.presence.off('renewed', bindAgain)
      // They stay: what was claimed before leaves from them while the process stops.
      for (const ignore of this.#ignoreByName.values()) ignore()
      ignoreWarmUps()
    }
  }

  /** What was heard last is told, and what was not needed given back. */
  close(): Promise<void> {
    return this.warmUps.tell({ isEnd: true })
  }

  here(): readonly SourceIdentity[] {
    return this.#here
  }

  /** Those that any process has. */
  living(): readonly SourceIdentity[] {
    return this.#living([...this.#all.keys()]).map(({ identity }) => identity)
  }

  isOf({ watches }: { readonly watches: readonly string[] }, address: string): boolean {
    const name = this.nameOf(address)
    return name !== null && watches.includes(channelOf(name))
  }

  /** Of a source, by its identity. */
  nameOf(address: string): string | null {
    for (const [name, { identity }] of this.#all) if (identity.source === address) return name
    return null
  }

  /** Whether something is so of the pools of sessions to a destination of all sources that this process has. */
  areAll(destination: string, is: (poolName: string) => boolean): boolean {
    const names = [...this.#ignoreByName.keys()]
    return (
      names.length > 0 &&
      names.every((name) => is(poolNameOf({ name: destination, source: this.#all.get(name)!.client })))
    )
  }

  /** Whether something is so of every source that any process has. Of one that is elsewhere there is no pool of sessions (null). */
  areAllLiving(destination: string, is: (pool: string | null, source: SourceIdentity) => boolean): boolean {
    return this.#living([...this.#all.keys()]).every(({ isHere, client, identity }) =>
      is(isHere ? poolNameOf({ name: destination, source: client }) : null, identity),
    )
  }

  /**
   * Where a mail could leave from, the best first; empty: no process has any. Mail that another process has left to this one for a source
   * leaves from that, or from another that is here: it does not go to and fro.
   */
  candidatesFor(mail: SourcedMail, { key, leftTo }: { key: string; leftTo: string | null }): readonly Candidate[] {
    const living = this.#livingFor(mail, key)
    const named = sourceOfQueue(leftTo)
    const isNamed = ({ source }: Candidate) => source.name === named
    if (!living.some((one) => one.isHere && isNamed(one))) return living
    return living.filter(({ isHere }) => isHere).sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)))
  }

  /** Whether mail of a queue waits for somebody else. */
  isForOthers({ destination }: QueueKey): boolean {
    const name = sourceOfQueue(destination)
    return name !== null && !this.#ignoreByName.has(name) && this.#isElsewhere(name)
  }

  /** Mail is in the ledger for a source: those that have it are told. False: it is this process's own. */
  leave(queue: QueueKey): boolean {
    if (!this.isForOthers(queue)) return false
    this.#db.signals.announce(channelOf(sourceOfQueue(queue.destination)!))
    return true
  }

  #livingFor(mail: SourcedMail, key: string): readonly Candidate[] {
    const pool = poolFor(this.settings, mail)
    const living = this.#living(preferenceOf(pool, key))
    if (living.length > 0) return living
    this.#warn(pool.name)
    const others = this.settings.pools.find(({ name }) => name === this.settings.defaultPool)!
    const byDefault = this.#living(preferenceOf(others, key))
    return byDefault.length > 0 ? byDefault : this.#living([...this.#all.keys()])
  }

  #living(names: readonly string[]): readonly Candidate[] {
    return names.flatMap((name) => {
      const isHere = this.#ignoreByName.has(name)
      return isHere || this.#isElsewhere(name) ? [{ ...this.#all.get(name)!, isHere }] : []
    })
  }

  #isElsewhere(name: string): boolean {
    const channel = channelOf(name)
    return this.#db.presence.others.some(
      ({ works, watches }) => watches.includes(channel) && works.includes(DELIVERIES_CHANNEL),
    )
  }

  #warn(pool: string) {
    if (performance.now() - this.#warnedMs < WARN_EVERY_MS) return
    this.#warnedMs = performance.now()
    this.#log.warn({ pool }, 'delivery: no running process has an address of this pool; its mail leaves from others')
  }

  async #bind(fetch: (queue: QueueKey) => void) {
    this.#boundMs = performance.now()
    for (const { source } of this.#all.values()) {
      const { name } = source
      const has = await this.#hasAddresses(source)
      const ignore = this.#ignoreByName.get(name)
      if (has === (ignore !== undefined)) continue
      if (ignore) {
        ignore()
        this.#ignoreByName.delete(name)
        this.#log.warn({ source: name }, 'delivery: source address is no longer on this machine')
      } else this.#take(name, fetch)
    }
    this.#here = [...this.#ignoreByName.keys()].map((name) => this.#all.get(name)!.identity)
    if (this.#here.length === 0)
      this.#log.warn('delivery: this machine has no address of POSTWREN_SOURCES; all mail is left to others')
  }

  async #hasAddresses({ addresses }: Source): Promise<boolean> {
    for (const address of Object.values(addresses)) if (!(await this.#canBind(address))) return false
    return true
  }

  #take(name: string, fetch: (queue: QueueKey) => void) {
    const fetchAll = () => {
      for (const priority of [0, 1]) fetch({ destination: queueOfSource(name), priority })
      this.#db.signals.announce(DELIVERIES_CHANNEL)
    }
    this.#ignoreByName.set(name, this.#db.signals.watch(channelOf(name), fetchAll))
    fetchAll()
  }
}
