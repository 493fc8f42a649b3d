/**
 * The one door to time, so that tests can move it. There are three kinds of it:
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
}

export interface TeamClock {
  now(): Date
  toReal(moment: Date): Date
  fromReal(moment: Date): Date
}

/** All teams live in real time. */
export const systemClock: Clock & TeamClock = {
  now: () => new Date(),
  of: () => systemClock,
  toReal: (moment) => moment,
  fromReal: (moment) => moment,
}
