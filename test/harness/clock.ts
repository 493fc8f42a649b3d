import { type BaseClock, type Clock, type TeamClock, withSandboxes } from '../../src/platform/clock.ts'

export interface FixedClock extends Clock {
  advance(seconds: number): void
  /** To what the time is by now, in milliseconds. */
  catchUp(): number
  /** From now on this team's time is ahead of that of everybody else. */
  putAhead(team: string, seconds: number): void
}

/** Stands still until it is told to move. */
export function fixedClock(start = new Date()): FixedClock {
  let now = start.getTime()
  const teams = new Map<string, TeamClock>()
  const base: BaseClock = { now: () => new Date(now), of: (team) => teams.get(team) ?? null }
  // The same object and no copy: ids grow with it.
  return Object.assign(withSandboxes(base), {
    advance: (seconds: number) => {
      now += seconds * 1_000
    },
    catchUp: () => {
      now = Date.now()
      return now
    },
    putAhead(team: string, seconds: number) {
      const moved = (moment: Date, by: number) => new Date(moment.getTime() + by * 1_000)
      teams.set(team, {
        isSandbox: false,
        now: () => moved(base.now(), seconds),
        toReal: (moment) => moved(moment, -seconds),
        fromReal: (moment) => moved(moment, seconds),
      })
    },
  })
}
