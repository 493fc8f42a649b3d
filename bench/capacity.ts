// What an installation needs at so many emails a day, from what one email was measured to take. docs/operations/capacity.md shows what these functions
// say, and test/capacity.test.ts that it does. Pure: figures in, figures out.

/** What one email takes, all in all: accepted, delivered, counted, told to one webhook, logged. */
export interface EmailCost {
  /** CPU of the service and of PostgreSQL, in milliseconds. */
  readonly serviceMs: number
  readonly postgresMs: number
  readonly walBytes: number
  readonly transactionIds: number
  /** On disk as long as the email is kept. */
  readonly mailBytes: number
  /** On disk as long as events and logs are kept. */
  readonly eventBytes: number
}

/** How mail comes and how long it stays: for an operator to change. */
export interface Habits {
  /** The busiest seconds against the average of the day. */
  readonly peakFactor: number
  /** How busy a core may be in them. */
  readonly utilisation: number
  readonly mailDays: number
  readonly eventDays: number
  /** Of each process. */
  readonly connections: number
}

/** What one primary with one standby can be, today, with some room left. Beyond it the work is split. */
export interface Machine {
  readonly cores: number
  readonly connections: number
  readonly walMegabytesPerSecond: number
  readonly diskTerabytes: number
  /** How many transaction ids a day autovacuum freezes in time: a whole pass over the newest tables every two days. */
  readonly transactionIdsPerDay: number
}

export interface Needs {
  readonly emailsPerDay: number
  readonly perSecond: number
  readonly peakPerSecond: number
  readonly processes: number
  readonly postgresCores: number
  readonly connections: number
  readonly walGigabytesPerDay: number
  readonly walMegabytesPerSecond: number
  readonly diskTerabytes: number
  readonly transactionIdsPerDay: number
  /** Until autovacuum freezes a table whose oldest row is new: `autovacuum_freeze_max_age`. */
  readonly daysToFreeze: number
  /** Until PostgreSQL would refuse to write, had nobody vacuumed since. */
  readonly daysToWraparound: number
  /** Commits that wait for the disk, in the busiest seconds. */
  readonly flushesPerSecond: number
  readonly coreHoursPerDay: number
}

const DAY_SECONDS = 86_400
const FREEZE_MAX_AGE = 200_000_000
/** Half of 2^32, less the reserve at which PostgreSQL stops. */
const WRAPAROUND_IDS = 2 ** 31 - 3_000_000
/** One that dies leaves one that works. */
const MIN_PROCESSES = 2

export function needsOf(emailsPerDay: number, cost: EmailCost, habits: Habits): Needs {
  const perSecond = emailsPerDay / DAY_SECONDS
  const peakPerSecond = perSecond * habits.peakFactor
  const coresFor = (milliseconds: number) => (peakPerSecond * milliseconds) / 1_000 / habits.utilisation
  const processes = Math.max(MIN_PROCESSES, Math.ceil(coresFor(cost.serviceMs)))
  const transactionIdsPerDay = emailsPerDay * cost.transactionIds
  return {
    ...{ emailsPerDay, perSecond, peakPerSecond, processes, transactionIdsPerDay },
    postgresCores: coresFor(cost.postgresMs),
    connections: processes * habits.connections,
    walGigabytesPerDay: (emailsPerDay * cost.walBytes) / 1e9,
    walMegabytesPerSecond: (peakPerSecond * cost.walBytes) / 1e6,
    diskTerabytes: (emailsPerDay * (cost.mailBytes * habits.mailDays + cost.eventBytes * habits.eventDays)) / 1e12,
    daysToFreeze: FREEZE_MAX_AGE / transactionIdsPerDay,
    daysToWraparound: WRAPAROUND_IDS / transactionIdsPerDay,
    flushesPerSecond: peakPerSecond * cost.transactionIds,
    coreHoursPerDay: (emailsPerDay * (cost.serviceMs + cost.postgresMs)) / 3_600_000,
  }
}

/** How much of a machine each need takes, the scarcest first. */
export function loadOn(machine: Machine, needs: Needs): readonly { readonly what: string; readonly share: number }[] {
  return [
    { what: 'disk', share: needs.diskTerabytes / machine.diskTerabytes },
    { what: 'CPU of PostgreSQL', share: needs.postgresCores / machine.cores },
    { what: 'WAL', share: needs.walMegabytesPerSecond / machine.walMegabytesPerSecond },
    { what: 'connections', share: needs.connections / machine.connections },
    { what: 'transaction ids', share: needs.transactionIdsPerDay / machine.transactionIdsPerDay },
  ].sort((one, other) => other.share - one.share)
}

/** So many databases, each with its own share of the teams. */
export const cellsFor = (machine: Machine, needs: Needs): number =>
  Math.max(1, Math.ceil(loadOn(machine, needs)[0]!.share))
