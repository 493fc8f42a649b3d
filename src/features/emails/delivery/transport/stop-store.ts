import type { Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'

export const STOPS_CHANNEL = 'destination-stops'
/** An operator wants everybody to be asked again, whatever each node has heard. */
export const RETRY_CHANNEL = 'destination-retry'

const FIRST_SECONDS = 5
const MAX_SECONDS = 600
/** A message that tells nothing by then, since its node died or its server is silent, is followed by another. */
const PROBE_SECONDS = 120
/** So many are looked after. Others are asked again, and cost a conversation. */
const MAX_STOPS = 10_000

/** A destination that takes nothing. */
export interface DestinationStop {
  readonly destination: string
  readonly cause: 'unreachable' | 'paused'
  readonly stoppedAt: Date
  readonly stoppedUntil: Date
  readonly probedUntil: Date | null
  readonly failures: number
  readonly host: string | null
  readonly reply: string | null
  readonly domain: string | null
}

export type NewStop = Pick<DestinationStop, 'destination' | 'cause' | 'stoppedUntil' | 'host' | 'reply' | 'domain'>

/** That nobody could be talked to in a conversation that began then. */
export interface FailedProbe {
  readonly destination: string
  readonly startedAt: Date
  /** How long this node would leave it alone. */
  readonly restsUntil: Date
  readonly host: string | null
  readonly reply: string
}

const COLUMNS = sql`
  destination, cause, stopped_at as "stoppedAt", stopped_until as "stoppedUntil", probed_until as "probedUntil", failures, host, reply, domain`

/** Of a row of `deliveries d` that waits: when it is tried next. Null: as soon as its destination has room for it. */
export const NEXT_ATTEMPT = sql`
  case when d.parked_for is null then d.due_at
    else (select least(s.stopped_until, d.due_at) from destination_stops s where s.destination = d.parked_for) end`

export const findStops = (db: Queryable) =>
  db.query<DestinationStop>(
    sql`select ${COLUMNS} from destination_stops order by stopped_until desc limit ${MAX_STOPS}`,
  )

/** Nothing where one is known already. */
export async function insertStop(db: Queryable, stop: NewStop): Promise<DestinationStop | undefined> {
  const { destination, cause, stoppedUntil, host, reply, domain } = stop
  const [written] = await db.query<DestinationStop>(sql.write`
    insert into destination_stops (destination, cause, stopped_at, stopped_until, failures, host, reply, domain)
    values (${destination}, ${cause}, ${db.clock.now()}, ${stoppedUntil}, 1, ${host}, ${reply}, ${domain})
    on conflict (destination) do nothing
    returning ${COLUMNS}`)
  return written
}

/**
 * None that nobody could be talked to is that long: the clock was set back, and would have them wait until it is as late again. They are
 * over. Tells whether there were any.
 */
export async function endStopsAhead(db: Queryable): Promise<boolean> {
  const now = db.clock.now()
  const ended = await db.query(sql.write`
    update destination_stops set stopped_until = ${now}, probed_until = null
    where cause = 'unreachable'
      and greatest(stopped_until, probed_until) > ${now}::timestamptz + make_interval(secs => ${2 * MAX_SECONDS})
    returning destination`)
  return ended.length > 0
}

/** Which of these this node may try now: no other does. */
export async function takeProbes(db: Queryable, destinations: readonly string[]): Promise<string[]> {
  const now = db.clock.now()
  const taken = await db.query<{ destination: string }>(sql.write`
    update destination_stops set probed_until = ${now}::timestamptz + make_interval(secs => ${PROBE_SECONDS})
    where destination = any (${[...destinations]}::text[]) and stopped_until <= ${now}::timestamptz
      and coalesce(probed_until <= ${now}::timestamptz, true)
    returning destination`)
  return taken.map(({ destination }) => destination)
}

/** Undefined: the conversation began before the last stop was over and has said nothing new, or there is none any more. */
export async function prolongStop(db: Queryable, failed: FailedProbe): Promise<DestinationStop | undefined> {
  const { destination, startedAt, restsUntil, host, reply } = failed
  const now = db.clock.now()
  const seconds = sql`least(${MAX_SECONDS}::float8, ${FIRST_SECONDS}::float8 * 2 ^ least(failures, 20))`
  const [written] = await db.query<DestinationStop>(sql.write`
    update destination_stops set cause = 'unreachable', failures = least(failures + 1, 1000), probed_until = null,
      stopped_until = greatest(${now}::timestamptz + make_interval(secs => ${seconds}), ${restsUntil}::timestamptz),
      host = ${host}, reply = ${reply}
    where destination = ${destination} and stopped_until <= ${startedAt}::timestamptz
    returning ${COLUMNS}`)
  return written
}

/** Mail goes there again, or there is none. Not where somebody has failed since. */
export const deleteStops = (db: Queryable, destinations: readonly string[], startedAt: Date) =>
  db.query(sql.write`
    delete from destination_stops
    where destination = any (${[...destinations]}::text[]) and stopped_until <= ${startedAt}::timestamptz`)

export const deleteAllStops = (db: Queryable) => db.query(sql.write`delete from destination_stops`)

/** An operator wants these destinations, or all of them, to be tried now. Gives those that were stopped. */
export async function endStops(trx: Transaction, destinations: readonly string[] | null): Promise<string[]> {
  const now = trx.clock.now()
  const isNamed = destinations === null ? sql`true` : sql`destination = any (${[...destinations]}::text[])`
  const stopped = await trx.query<{ destination: string }>(sql`
    select destination from destination_stops where stopped_until > ${now}::timestamptz and ${isNamed} order by 1 for update`)
  await trx.query(sql.write`
    update destination_stops set stopped_until = least(stopped_until, ${now}::timestamptz), probed_until = null where ${isNamed}`)
  trx.announce(RETRY_CHANNEL)
  return stopped.map(({ destination }) => destination)
}
