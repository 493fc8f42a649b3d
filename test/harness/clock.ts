import type { Clock, TeamClock } from '../../src/platform/clock.ts'

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
  const clock: FixedClock & TeamClock = {
    now: () => new Date(now),
    of: (team) => teams.get(team) ?? clock,
    toReal: (moment) => moment,
    fromReal: (moment) => moment,
    advance: (seconds) => {
      now += seconds * 1_000
    },
    catchUp: () => {
      now = Date.now()
      return now
    },
    putAhead(team, seconds) {
      const moved = (moment: Date, by: number) => new Date(moment.getTime() + by * 1_000)
      teams.set(team, {
        now: () => moved(clock.now(), seconds),
        toReal: (moment) => moved(moment, -seconds),
        fromReal: (moment) => moved(moment, seconds),
      })
    },
  }
  return clock
}
