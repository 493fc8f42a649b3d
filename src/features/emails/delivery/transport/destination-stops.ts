import type { Database } from '../../../../kernel/db/database.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { findParkedQueues } from '../ledger/queries.ts'
import { follow } from '../pace/follow.ts'
import type { QueueKey } from './destination-queues.ts'
import {
  type DestinationStop,
  deleteAllStops,
  deleteStops,
  endStopsAhead,
  type FailedProbe,
  findStops,
  insertStop,
  type NewStop,
  prolongStop,
  RETRY_CHANNEL,
  STOPS_CHANNEL,
  takeProbes,
} from './stop-store.ts'

/** How often the ledger is asked which queues have something parked: a process that knew may be gone. */
const LOOK_EVERY_MS = 60_000
/** Domains whose mail servers are known to be stopped. */
const MAX_DOMAINS = 10_000
const MAX_REPLY_LENGTH = 1_000
/** So many are tried with one claim. */
const MAX_PROBES = 20

/** What the stops act on in this process. */
interface Parts {
  readonly log: Log
  /** Mail may be in the ledger for this queue. */
  readonly onParked: (queue: QueueKey) => void
  /** Asked again is whoever could not be talked to, one destination or all. */
  readonly endRests: (destination?: string) => void
  /** All mail to the destination is refused for now, whatever it carries. */
  readonly isRefused: (destination: string) => boolean
  /** False: no mail goes straight to destinations, and what was stopped once is asked by nobody. */
  readonly isDirect?: boolean
}

/**
 * Destinations that take nothing: they cannot be talked to, or refuse our address. While one is stopped its mail is parked in the ledger,
 * where no claim meets it, however much there is. When its time is over one node fetches a message and tries: if somebody answers the
 * stop ends and every node fetches the rest, as it has slots, the oldest first; otherwise the stop is longer. They are in the database, so that all
 * nodes keep them, also those that start; each has them in memory too, so that no mail asks the database.
 */
export class DestinationStops {
  readonly #db: Database
  readonly #parts: Parts
  readonly #stops = new Map<string, DestinationStop>()
  /** By domain, the destination that its mail goes to. */
  readonly #domains = new Map<string, string>()
  /** Being written, by destination. */
  readonly #writing = new Set<string>()
  #lookedMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null
  #nextReading: Promise<void> | null = null
  /** Before this moment none is to be tried. */
  #nextProbeMs = Number.POSITIVE_INFINITY

  constructor(db: Database, parts: Parts) {
    this.#db = db
    this.#parts = parts
  }

  /** Follows what other nodes find out, until the function that it gives is called. */
  async follow(): Promise<() => void> {
    const { presence, signals } = this.#db
    const ignoreStops = await follow(this.#db, STOPS_CHANNEL, () => this.#refresh())
    const ignoreRetries = signals.watch(RETRY_CHANNEL, () => {
      this.#parts.endRests()
      void this.#refresh()
    })
    const look = () => {
      if (performance.now() - this.#lookedMs >= LOOK_EVERY_MS) void this.lookForParked()
    }
    presence.on('renewed', look)
    if (this.#parts.isDirect === false) await this.#forgetAll()
    await this.lookForParked()
    return () => {
      presence.off('renewed', look)
      ignoreRetries()
      ignoreStops()
    }
  }

  /** Nobody is stopped: then nobody need ask. */
  get isEmpty(): boolean {
    return this.#stops.size === 0
  }

  /** Null: it takes mail, as far as anybody knows. */
  find(destination: string): DestinationStop | null {
    return this.#stops.get(destination) ?? null
  }

  /** The same of the destination that mail for a domain goes to, if that is known without asking anybody. */
  findFor(domain: string, destination: string | null): DestinationStop | null {
    if (this.isEmpty) return null
    const name = destination ?? this.#domains.get(domain.toLowerCase())
    return name === undefined ? null : this.find(name)
  }

  list(): readonly DestinationStop[] {
    return [...this.#stops.values()]
  }

  /** Mail is parked because of it. Known here at once, and to the others when it is written. */
  begin(stop: NewStop) {
    this.#remember(stop.domain, stop.destination)
    const { destination } = stop
    if (this.#stops.has(destination) || this.#writing.has(destination)) return
    const reply = stop.reply?.slice(0, MAX_REPLY_LENGTH) ?? null
    this.#set({ ...stop, reply, stoppedAt: this.#db.clock.now(), probedUntil: null, failures: 1 })
    this.#write(destination, 'writing down that a destination is stopped', async () => {
      const written = await insertStop(this.#db, { ...stop, reply })
      if (!written) return
      const { cause, host, stoppedUntil: until } = written
      this.#parts.log.info(
        { destination, cause, host, reply, until },
        'delivery: a destination takes no mail; it waits',
      )
    })
  }

  /** Those that this node may fetch a message for, to find out whether they take mail again. No other does at the same time. */
  async takeProbes(): Promise<string[]> {
    const nowMs = this.#db.clock.now().getTime()
    if (nowMs < this.#nextProbeMs) return []
    const isDue = (stop: DestinationStop) => probeMs(stop) <= nowMs && !this.#parts.isRefused(stop.destination)
    const due = this.list().filter(isDue).slice(0, MAX_PROBES)
    const chosen = new Set(due)
    this.#nextProbeMs = this.list().reduce(
      (first, stop) => (chosen.has(stop) ? first : Math.min(first, probeMs(stop))),
      Number.POSITIVE_INFINITY,
    )
    if (due.length === 0) return []
    const names = due.map(({ destination }) => destination)
    const taken = await takeProbes(this.#db, names)
    await this.#refresh()
    for (const destination of taken) this.#parts.endRests(destination)
    return taken
  }

  /** Whether a message is to find out about it, and none has yet. */
  isProbing(destination: string): boolean {
    const stop = this.find(destination)
    const now = this.#db.clock.now()
    if (!stop?.probedUntil || stop.stoppedUntil > now) return false
    return stop.probedUntil > now && !this.#parts.isRefused(destination)
  }

  /** Nobody could be talked to. */
  failed(probe: FailedProbe) {
    const known = this.find(probe.destination)
    if (!known || known.stoppedUntil > probe.startedAt) return
    // Here at once: what is claimed meanwhile is parked.
    this.#set({ ...known, stoppedUntil: probe.restsUntil })
    this.#write(probe.destination, 'prolonging the stop of a destination', async () => {
      await prolongStop(this.#db, { ...probe, reply: probe.reply.slice(0, MAX_REPLY_LENGTH) })
    })
  }

  /** Somebody answered in a conversation that began then; or nobody need be asked, since no mail is parked, or goes elsewhere by now. */
  ended(destinations: readonly string[], startedAt: Date) {
    const over = destinations.filter((destination) => {
      const stop = this.find(destination)
      return stop !== null && stop.stoppedUntil <= startedAt
    })
    if (over.length === 0) return
    for (const destination of over) this.#remove(destination)
    this.#write(over[0]!, 'ending the stop of a destination', async () => {
      await deleteStops(this.#db, over, startedAt)
      this.#parts.log.info({ destination: over[0] }, 'delivery: a destination takes mail again')
    })
  }

  /** Finds queues in the ledger that nobody here knows of. */
  async lookForParked() {
    this.#lookedMs = performance.now()
    await this.#logErrors('looking for parked mail', async () => {
      if (!this.isEmpty && (await endStopsAhead(this.#db))) await this.#refresh()
      for (const queue of await findParkedQueues(this.#db)) this.#parts.onParked(queue)
    })
  }

  /** Mail that waits for them goes another way: all of it can be fetched. */
  async #forgetAll() {
    await this.#logErrors('ending the stops of destinations that are not asked any more', async () => {
      await deleteAllStops(this.#db)
      this.#db.signals.announce(STOPS_CHANNEL)
      await this.#refresh()
    })
  }

  #remember(domain: string | null, destination: string) {
    if (domain === null) return
    if (this.#domains.size >= MAX_DOMAINS) this.#domains.clear()
    this.#domains.set(domain.toLowerCase(), destination)
  }

  #set(stop: DestinationStop) {
    this.#remember(stop.domain, stop.destination)
    this.#stops.set(stop.destination, stop)
    this.#nextProbeMs = Math.min(this.#nextProbeMs, probeMs(stop))
  }

  /** What waits for it can be fetched. */
  #remove(destination: string) {
    this.#stops.delete(destination)
    for (const [domain, name] of this.#domains) if (name === destination) this.#domains.delete(domain)
    for (const priority of [0, 1]) this.#parts.onParked({ destination, priority })
  }

  /** One read at a time: whoever comes while one is under way has the next, with all others who do. */
  #refresh(): Promise<void> {
    if (!this.#reading) {
      this.#reading = this.#read().finally(() => {
        this.#reading = null
      })
      return this.#reading
    }
    this.#nextReading ??= this.#reading.then(() => {
      this.#nextReading = null
      return this.#refresh()
    })
    return this.#nextReading
  }

  async #read() {
    await this.#logErrors('reading the stopped destinations', async () => {
      const found = (await findStops(this.#db)).filter(({ destination }) => !this.#writing.has(destination))
      const names = new Set(found.map(({ destination }) => destination))
      for (const destination of [...this.#stops.keys()])
        if (!names.has(destination) && !this.#writing.has(destination)) this.#remove(destination)
      for (const stop of found) this.#set(stop)
    })
  }

  /** What is being written counts here already; afterwards, what is in the database. */
  #write(destination: string, what: string, work: () => Promise<unknown>) {
    this.#writing.add(destination)
    void this.#logErrors(what, work).then(() => {
      this.#writing.delete(destination)
      this.#db.signals.announce(STOPS_CHANNEL)
      return this.#refresh()
    })
  }

  async #logErrors(what: string, work: () => Promise<unknown>) {
    try {
      await work()
    } catch (error) {
      this.#parts.log[levelOf(error, 'error')]({ error }, `delivery: ${what} failed`)
    }
  }
}

/** When a message may be tried, as far as is known here. */
const probeMs = ({ stoppedUntil, probedUntil }: DestinationStop) =>
  Math.max(stoppedUntil.getTime(), probedUntil?.getTime() ?? 0)
