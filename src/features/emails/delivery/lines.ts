import { Semaphore } from '../../../platform/concurrency/semaphore.ts'

/** One destination has a line for what one person waits for, and another for what goes to many. */
export interface LineName {
  readonly destination: string
  readonly priority: number
}

/** There is no place in line: the mail waits in the ledger, and is fetched when there is. */
export interface Parked {
  readonly kind: 'parked'
  readonly line: LineName
  /** When it is due without having been fetched: nobody may be left to fetch it. */
  readonly seconds: number
}

/** A place in line, from before the message is built until its answer was heard, or takes so long that others go on without it. */
export interface Place {
  readonly kind: 'booked'
  /** What those in one line have of the memory for mail. */
  readonly memory: Semaphore
  /** Once, however often it is called. */
  release(): void
}

/** Enough to keep five connections busy. Of a destination that hangs, this many are in hand. */
const LEAST_PLACES = 25
const MOST_PLACES = 400
/** A line in which nobody stands longer than this may grow; one in which somebody does has to shrink. */
const QUICK_MS = 2_000
const SLOW_MS = 5_000

const PARKED_SECONDS = 60
const MAX_PARKED_SECONDS = 1_800
/** The more are parked the later they are due: they come back unfetched no faster than this, and each time for nothing. */
const PARKED_PER_SECOND = 500

/** So many lines are looked after. What is parked for others is due in its time. */
const MOST_PARKED_LINES = 200

/** So many destinations that hang leave memory for others. */
const MEMORY_SHARES = 8

interface Line {
  readonly name: LineName
  readonly memory: Semaphore
  places: number
  taken: number
  /** Roughly how many are in the ledger. */
  parked: number
  /** How often something was parked: tells whether a look into the ledger is still the last word. */
  parkings: number
}

/**
 * What each destination may have of this process. A destination that answers slowly would otherwise have all of it, rows in hand as
 * well as memory, and mail to everybody else would wait. A line begins short, grows with each answer that comes quickly and is halved
 * by one that does not.
 */
export class Lines {
  readonly #lines = new Map<string, Line>()
  readonly #withParked = new Set<Line>()
  readonly #memoryBytes: number
  readonly #isPaused: (destination: string) => boolean

  constructor(options: {
    memoryBytes: number
    /** Whether the destination has asked to be left alone for a while: then nothing is fetched for it. */
    isPaused(destination: string): boolean
  }) {
    this.#memoryBytes = options.memoryBytes
    this.#isPaused = options.isPaused
  }

  /** Mail that was not parked stands behind the mail that is. */
  book(name: LineName, { isFetched }: { isFetched: boolean }): Place | Parked {
    const line = this.#lineOf(name)
    const isFull = line.taken >= line.places || (line.parked > 0 && !isFetched)
    if (isFull) return parkedIn(line)
    line.taken++
    const since = performance.now()
    let isTaken = true
    const release = () => {
      if (isTaken) this.#release(line, performance.now() - since)
      isTaken = false
    }
    return { kind: 'booked', memory: line.memory, release }
  }

  /** Back into the ledger until the destination can be talked to, and for so long at least. */
  park(name: LineName, seconds: number): Parked {
    return parkedIn(this.#lines.get(keyOf(name)) ?? { name, parked: 0 }, seconds)
  }

  /** Mail is in the ledger for this line, and can be fetched. */
  parked(name: LineName) {
    // It may have emptied meanwhile.
    const line = this.#lineOf(name)
    if (this.#withParked.size >= MOST_PARKED_LINES && !this.#withParked.has(line)) return
    line.parked++
    line.parkings++
    this.#withParked.add(line)
  }

  /** The lines that have something parked and are half empty, with how much each has room for, until that comes to `most`. */
  withRoom(most: number): Fetch[] {
    const fetches: Fetch[] = []
    let left = most
    for (const { name, places, taken, parkings } of this.#withParked) {
      if (left <= 0) break
      if (taken > places / 2 || this.#isPaused(name.destination)) continue
      const limit = Math.min(places - taken, left)
      fetches.push({ line: name, limit, parkings })
      left -= limit
    }
    return fetches
  }

  /** So much was found. Less than was asked for is all there was, unless something came meanwhile. */
  fetched({ line: name, limit, parkings }: Fetch, found: number) {
    const line = this.#lines.get(keyOf(name))
    if (!line) return
    line.parked = Math.max(1, line.parked - found)
    if (found >= limit || line.parkings !== parkings) return
    line.parked = 0
    this.#withParked.delete(line)
    this.#forgetIfIdle(line)
  }

  #lineOf(name: LineName): Line {
    const known = this.#lines.get(keyOf(name))
    if (known) return known
    const memory = new Semaphore(this.#memoryBytes / MEMORY_SHARES)
    const line = { name, memory, places: LEAST_PLACES, taken: 0, parked: 0, parkings: 0 }
    this.#lines.set(keyOf(name), line)
    return line
  }

  #release(line: Line, tookMs: number) {
    line.taken--
    if (tookMs < QUICK_MS) line.places = Math.min(MOST_PLACES, line.places + 1)
    if (tookMs > SLOW_MS) line.places = Math.max(LEAST_PLACES, Math.floor(line.places / 2))
    this.#forgetIfIdle(line)
  }

  #forgetIfIdle(line: Line) {
    if (line.taken === 0 && line.parked === 0) this.#lines.delete(keyOf(line.name))
  }
}

function parkedIn({ name, parked }: Pick<Line, 'name' | 'parked'>, atLeast = 0): Parked {
  const seconds = Math.min(PARKED_SECONDS + parked / PARKED_PER_SECOND, MAX_PARKED_SECONDS)
  return { kind: 'parked', line: name, seconds: Math.max(seconds, atLeast) }
}

/** What to fetch for a line. */
export interface Fetch {
  readonly line: LineName
  readonly limit: number
  readonly parkings: number
}

const keyOf = ({ destination, priority }: LineName) => `${priority} ${destination}`
