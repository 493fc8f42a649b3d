import { isSandbox } from './ids.ts'

/**
 * The only source of time, so that tests can move it. There are three kinds of it:
 * - Real time, `clock.now()`: what is due, how long something is kept, links, sessions, whatever belongs to the installation.
 * - A team's time, `clock.of(team)`: what its people see. When an object or an event was made (its id says so, too), what it is scheduled
 *   for, the date of a message. Usually real time; what a team has scheduled becomes real where it is noted as due, by `toReal`. What
 *   happens between servers (attempts, replies, checks of domains) happens in real time, also where people see it.
 * - The monotonic time of the process, `performance.now()`: to measure and to wait. It does not come through here.
 */
export interface Clock {
  now(): Date
  /** The same object for a team each time: its ids grow with it (`newId`). */
  of(team: string): TeamClock
  /** What time it is in a sandbox. Who says it late, and knows an older time, is not heard. */
  set(sandbox: string, state: ClockState): void
  /** Sandboxes whose clock stands still held by this process: what time it is there is known without asking. */
  readonly pinned: Set<string>
}

/** Where real time comes from, and that of teams that are no sandboxes: null is real time. */
export interface BaseClock {
  now(): Date
  of(team: string): TeamClock | null
}

export interface TeamClock {
  now(): Date
  /** Ids say so (`newId`). */
  readonly isSandbox: boolean
  /** What is written down as due: when, in real time, or a moment beyond all time (see `VIRTUAL_OFFSET_MS`). */
  toReal(moment: Date): Date
  fromReal(moment: Date): Date
}

/** The time of a sandbox that has one of its own. */
export interface ClockState {
  /** Grows with each change. */
  readonly version: number
  /** How far it is ahead of real time, while it runs. */
  readonly offsetMs: number
  /** The moment at which it stands still. */
  readonly frozenAt: Date | null
}

/**
 * What is due in the future of a sandbox that has a time of its own is written down this much later: a thousand years, so that nobody
 * takes it up before the sandbox's clock gets there and whoever moves it makes it due. What is due by now is written down in real time.
 */
export const VIRTUAL_OFFSET_MS = 31_556_952_000_000

/** Clocks of sandboxes that are remembered. Each piece of work asks for the time of its sandbox as it begins, so few are in use. */
const MAX_SANDBOXES = 20_000

/** A clock on which sandboxes can have a time of their own. All others pay a look at one character of their id. */
export function withSandboxes(base: BaseClock): Clock {
  const sandboxes = new Map<string, SandboxClock>()
  const pinned = new Set<string>()
  const forget = (team: string) => {
    sandboxes.delete(team)
    pinned.delete(team)
  }
  const ofSandbox = (team: string): SandboxClock => {
    const known = sandboxes.get(team)
    if (known) return known
    const made = new SandboxClock(base)
    sandboxes.set(team, made)
    if (sandboxes.size > MAX_SANDBOXES) forget(sandboxes.keys().next().value!)
    return made
  }
  const clock: Clock & TeamClock = {
    pinned,
    isSandbox: false,
    now: () => base.now(),
    of: (team) => (isSandbox(team) ? ofSandbox(team) : (base.of(team) ?? clock)),
    toReal: (moment) => moment,
    fromReal: (moment) => moment,
    set(sandbox, state) {
      const own = ofSandbox(sandbox)
      own.set(state)
      // To the end of the line: it is in use.
      sandboxes.delete(sandbox)
      sandboxes.set(sandbox, own)
    },
  }
  return clock
}

/** Real time, until the sandbox gets a time of its own. */
class SandboxClock implements TeamClock {
  readonly isSandbox = true
  readonly #base: BaseClock
  #state: ClockState | null = null

  constructor(base: BaseClock) {
    this.#base = base
  }

  set(state: ClockState) {
    if (!this.#state || state.version > this.#state.version) this.#state = state
  }

  now(): Date {
    return this.#at(this.#base.now())
  }

  toReal(moment: Date): Date {
    if (!this.#state) return moment
    const real = this.#base.now()
    const aheadMs = moment.getTime() - this.#at(real).getTime()
    return new Date(aheadMs > 0 ? moment.getTime() + VIRTUAL_OFFSET_MS : real.getTime() + aheadMs)
  }

  fromReal(moment: Date): Date {
    if (!this.#state) return moment
    const time = moment.getTime()
    if (time >= VIRTUAL_OFFSET_MS) return new Date(time - VIRTUAL_OFFSET_MS)
    const aheadMs = time - this.#base.now().getTime()
    // However long ago it was: time has stood still since.
    if (this.#state.frozenAt && aheadMs < 0) return this.#state.frozenAt
    return new Date(this.now().getTime() + aheadMs)
  }

  #at(real: Date): Date {
    if (!this.#state) return real
    const { frozenAt, offsetMs } = this.#state
    return frozenAt ?? new Date(real.getTime() + offsetMs)
  }
}

/** All teams have real time, but for sandboxes. */
export const systemClock: Clock = withSandboxes({ now: () => new Date(), of: () => null })
