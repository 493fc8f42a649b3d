import type { Database, Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import type { Unreachable } from '../../../../mail/outcome.ts'
import { admits, type Breaker, type BreakerEvent, closedBreaker, nextBreaker } from './breaker.ts'

export const ROUTES_CHANNEL = 'delivery-routes'
const MAX_REASON_LENGTH = 500
const MAX_REPLY_LENGTH = 1_000

/** What is wrong with a route. `answer`: the one to a message never came. */
export type RouteFault = Unreachable | 'answer'

/** The last fault of a route. */
export interface FaultOfRoute {
  readonly fault: RouteFault
  readonly reply: string
  readonly host: string | null
  readonly at: Date
}

/** A route that an operator has taken out of use. */
export interface RouteHold {
  readonly at: Date
  readonly reason: string | null
}

/** What is kept of a route. */
export interface KeptRoute {
  readonly name: string
  readonly breaker: Breaker
  readonly fault: FaultOfRoute | null
  readonly hold: RouteHold | null
}

interface Row {
  readonly name: string
  readonly state: 'closed' | 'open'
  readonly since: Date
  readonly faults: number
  readonly changedAt: Date
  readonly retryAt: Date | null
  readonly fault: RouteFault | null
  readonly reply: string | null
  readonly host: string | null
  readonly faultedAt: Date | null
  readonly heldAt: Date | null
  readonly heldReason: string | null
}

const COLUMNS = sql`
  name, state, since, faults, changed_at as "changedAt", retry_at as "retryAt", fault, reply, host, faulted_at as "faultedAt",
  held_at as "heldAt", held_reason as "heldReason"`

const keptOf = (row: Row): KeptRoute => ({
  name: row.name,
  breaker: {
    state: row.state,
    since: row.since.getTime(),
    faults: row.faults,
    changedAt: row.changedAt.getTime(),
    retryAt: row.retryAt?.getTime() ?? 0,
  },
  fault:
    row.fault && row.faultedAt ? { fault: row.fault, reply: row.reply ?? '', host: row.host, at: row.faultedAt } : null,
  hold: row.heldAt && { at: row.heldAt, reason: row.heldReason },
})

export async function findRoutes(db: Queryable): Promise<KeptRoute[]> {
  return (await db.query<Row>(sql`select ${COLUMNS} from delivery_routes order by name`)).map(keptOf)
}

/** Those of these routes that take no mail, although nobody has taken them out of use. */
export async function findRoutesDown(db: Queryable, names: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select name from delivery_routes
    where name = any (${[...names]}::text[]) and state = 'open' and held_at is null order by name`)
  return rows.map(({ name }) => name)
}

/** What a mail has found out about a route. */
export interface RouteUpdate {
  readonly name: string
  readonly event: Extract<BreakerEvent, { kind: 'failed' | 'answered' }>
  /** Of a failure. */
  readonly fault?: FaultOfRoute
}

/** Tells the breaker that all nodes share, under a lock of its row: of several nodes that find the same fault, the first one counts. */
export async function applyRouteUpdate(db: Database, { name, event, fault }: RouteUpdate): Promise<KeptRoute> {
  return db.transaction(async (trx) => {
    const now = trx.clock.now().getTime()
    // Never seen to fail: there may be no row to lock.
    await trx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`route ${name}`}, 0))`)
    const [row] = await trx.query<Row>(sql`select ${COLUMNS} from delivery_routes where name = ${name}`)
    const kept = row ? keptOf(row) : { name, breaker: closedBreaker(now), fault: null, hold: null }
    const next = nextBreaker(letThrough(kept.breaker, event), event, now)
    if (next === kept.breaker || next.state === 'half_open') return kept
    const told = { ...kept, breaker: next, fault: fault ?? kept.fault }
    await upsert(trx, told)
    trx.announce(ROUTES_CHANNEL)
    return told
  })
}

/** What began after its time had come was let through, whichever node has let it: rows do not say which. */
const letThrough = (breaker: Breaker, { startedAt }: RouteUpdate['event']): Breaker =>
  breaker.state === 'open' && admits(breaker, startedAt) ? { ...breaker, state: 'half_open' } : breaker

const upsert = (trx: Transaction, { name, breaker, fault }: KeptRoute) =>
  trx.query(sql.write`
    insert into delivery_routes (name, state, since, faults, changed_at, retry_at, fault, reply, host, faulted_at)
    values (${name}, ${breaker.state}, ${new Date(breaker.since)}, ${breaker.faults}, ${new Date(breaker.changedAt)},
      ${breaker.state === 'open' ? new Date(breaker.retryAt) : null}, ${fault?.fault ?? null},
      ${fault?.reply.slice(0, MAX_REPLY_LENGTH) ?? null}, ${fault?.host ?? null}, ${fault?.at ?? null})
    on conflict (name) do update set state = excluded.state, since = excluded.since, faults = excluded.faults,
      changed_at = excluded.changed_at, retry_at = excluded.retry_at, fault = excluded.fault, reply = excluded.reply,
      host = excluded.host, faulted_at = excluded.faulted_at`)

/** Takes a route out of use, in the transaction of its audit event. False: it is out of use already. */
export async function holdRoute(trx: Transaction, name: string, reason: string): Promise<boolean> {
  const now = trx.clock.now()
  const rows = await trx.query(sql.write`
    insert into delivery_routes as r (name, state, since, faults, changed_at, held_at, held_reason)
    values (${name}, 'closed', ${now}, 0, ${now}, ${now}, ${reason.slice(0, MAX_REASON_LENGTH)})
    on conflict (name) do update set held_at = excluded.held_at, held_reason = excluded.held_reason
    where r.held_at is null
    returning name`)
  trx.announce(ROUTES_CHANNEL)
  return rows.length > 0
}

/** Puts it into use again, also one with a fault: it is asked with the next mail. False: it was in use. */
export async function releaseRoute(trx: Transaction, name: string): Promise<boolean> {
  const now = trx.clock.now()
  const rows = await trx.query(sql.write`
    update delivery_routes set held_at = null, held_reason = null, retry_at = case when state = 'open' then ${now}::timestamptz end
    where name = ${name} and (held_at is not null or state = 'open') returning name`)
  trx.announce(ROUTES_CHANNEL)
  return rows.length > 0
}
