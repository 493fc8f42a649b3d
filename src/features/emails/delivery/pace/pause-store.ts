import type { Database, Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import type { Expired } from '../../../../kernel/jobs/retention.ts'
import { endStops } from '../transport/stop-store.ts'
import type { IdentityKind } from './identity.ts'
import { FORGET_SECONDS, nextPause, type PauseState, type Refusal } from './next-pause.ts'

export const PAUSES_CHANNEL = 'delivery-pauses'
/** What programs before pauses had identities listen to. */
const OLD_CHANNEL = 'destination-pauses'

/** So many are looked after. Others are refused again, and cost a conversation. */
const MAX_PAUSES = 10_000
const MAX_REASON_LENGTH = 500

export interface DeliveryPause extends PauseState {
  readonly destination: string
  readonly kind: IdentityKind
  /** Empty for a site: everything. */
  readonly identity: string
  readonly host: string | null
  readonly reply: string
  readonly class: string | null
  readonly refusedAt: Date
}

export interface NewPause extends Pick<DeliveryPause, 'destination' | 'kind' | 'identity' | 'host' | 'reply'>, Refusal {
  readonly class?: string | undefined
  /** The name of the destination in programs that know no providers. */
  readonly oldDestination: string
}

const COLUMNS = sql`
  destination, kind, identity, paused_until as "pausedUntil", refusals, host, reply, class, refused_at as "refusedAt"`

const isRemembered = (now: Date) => sql`paused_until > ${now}::timestamptz - make_interval(secs => ${FORGET_SECONDS})`

/** With what older programs have found out, who pause a destination for all mail. */
export const findPauses = (db: Queryable, now: Date) =>
  db.query<DeliveryPause>(sql`
    select ${COLUMNS} from delivery_pauses where ${isRemembered(now)}
    union all
    select destination, 'site', '', paused_until, refusals, host, reply, null, refused_at from destination_pauses o
    where ${isRemembered(now)}
      and not exists (select from delivery_pauses p where p.refused_at = o.refused_at and p.reply = o.reply)
    order by 4 desc limit ${MAX_PAUSES}`)

/**
 * Under a lock of its row: of several nodes that are refused, the first one counts. Undefined: the conversation began before the last pause was over,
 * and has said nothing new. Older programs get those of our address.
 */
export const applyRefusal = (db: Database, refusal: NewPause): Promise<DeliveryPause | undefined> =>
  db.transaction(async (trx) => {
    const { destination, kind, identity, host, reply, oldDestination } = refusal
    const now = trx.clock.now()
    const key = `pause ${kind} ${identity} ${destination}`
    // The row may not be there yet.
    await trx.query(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
    const [known = null] = await trx.query<DeliveryPause>(sql`
      select ${COLUMNS} from delivery_pauses where destination = ${destination} and kind = ${kind} and identity = ${identity} for update`)
    const next = nextPause(known, refusal, now)
    if (!next) return undefined
    const [written] = await trx.query<DeliveryPause>(sql.write`
      with written as (
        insert into delivery_pauses (destination, kind, identity, refusals, paused_until, host, reply, class, refused_at)
        values (${destination}, ${kind}, ${identity}, ${next.refusals}, ${next.pausedUntil}, ${host}, ${reply}, ${refusal.class ?? null}, ${now})
        on conflict (destination, kind, identity) do update set refusals = excluded.refusals, paused_until = excluded.paused_until,
          host = excluded.host, reply = excluded.reply, class = excluded.class, refused_at = excluded.refused_at,
          lifted_at = null, lifted_reason = null
        returning *),
      old as (
        insert into destination_pauses (destination, refusals, paused_until, host, reply, refused_at)
        select ${oldDestination}, refusals, paused_until, host, reply, refused_at from written where kind in ('source', 'site')
        on conflict (destination) do update set refusals = excluded.refusals, paused_until = excluded.paused_until,
          host = excluded.host, reply = excluded.reply, refused_at = excluded.refused_at)
      select ${COLUMNS} from written`)
    return written
  })

/** Mail was taken. Not where somebody was refused meanwhile. */
export const deletePauses = (db: Queryable, pauses: readonly DeliveryPause[]) =>
  db.query(sql.write`
    with over as materialized (
      select * from ${rowsOf(pauses, {
        ...({ destination: 'text', kind: 'text', identity: 'text', pausedUntil: 'timestamptz' } as const),
        ...({ refusedAt: 'timestamptz', reply: 'text' } as const),
      })}),
    old as (
      delete from destination_pauses o using over
      where o.refused_at = over."refusedAt" and o.reply = over.reply and o.paused_until = over."pausedUntil")
    delete from delivery_pauses p using over
    where p.destination = over.destination and p.kind = over.kind and p.identity = over.identity and p.paused_until = over."pausedUntil"`)

/** Which pauses: those of a destination, of a kind, of an identity; of all where nothing is said. */
export interface PauseFilter {
  readonly destination?: string
  readonly kind?: IdentityKind
  readonly identity?: string
}

/** What an operator has ended before its time. */
export interface EndedPauses {
  readonly pauses: readonly DeliveryPause[]
  /** Destinations that were stopped. */
  readonly stops: readonly string[]
}

/**
 * An operator wants these to be asked again, and says why. Who refuses us once more is paused for longer. Gives those that were ended; the
 * caller writes them into the audit log, in the same transaction.
 */
export async function endPauses(trx: Transaction, reason: string, filter: PauseFilter = {}): Promise<EndedPauses> {
  const now = trx.clock.now()
  const { destination = null, kind = null, identity = null } = filter
  const pauses = await trx.query<DeliveryPause>(sql.write`
    with ended as (
      update delivery_pauses set paused_until = ${now}, lifted_at = ${now}, lifted_reason = ${reason.slice(0, MAX_REASON_LENGTH)}
      where paused_until > ${now}::timestamptz and (${destination}::text is null or destination = ${destination})
        and (${kind}::text is null or kind = ${kind}) and (${identity}::text is null or identity = ${identity})
      returning ${COLUMNS}),
    old as (
      update destination_pauses o set paused_until = ${now}
      where paused_until > ${now}::timestamptz
        and ((${destination}::text is null and ${kind}::text is null and ${identity}::text is null)
          or (o.refused_at, o.reply) in (select "refusedAt", reply from ended)
          or (o.destination = ${destination} and coalesce(${kind}, 'site') = 'site' and coalesce(${identity}, '') = ''))
      returning destination, 'site' as kind, '' as identity, paused_until as "pausedUntil", refusals, host, reply,
        null as class, refused_at as "refusedAt")
    select * from ended
    union all
    select * from old where ("refusedAt", reply) not in (select "refusedAt", reply from ended)`)
  // What waits for a destination that takes nothing is tried now, too.
  const stops = await endStops(trx, stoppedWith(filter, pauses))
  trx.announce(PAUSES_CHANNEL)
  trx.announce(OLD_CHANNEL)
  return { pauses, stops }
}

/** Whose stops end with pauses that were asked for in this way: a stop is about all of our mail to a destination. Null: all. */
export function stoppedWith(filter: PauseFilter, pauses: readonly DeliveryPause[]): string[] | null {
  if (filter.destination !== undefined) return [filter.destination]
  const isOfSome = filter.kind !== undefined || filter.identity !== undefined
  return isOfSome ? pauses.map(({ destination }) => destination) : null
}

/** Deletes some of those that ended before, and returns whether there may be more. */
export async function deletePausesBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const pauses = await db.query(sql.write`
    delete from delivery_pauses where (destination, kind, identity) in (
      select destination, kind, identity from delivery_pauses where paused_until < ${moment} limit ${limit})
    returning destination`)
  const old = await db.query(sql.write`
    delete from destination_pauses where destination in (
      select destination from destination_pauses where paused_until < ${moment} limit ${limit})
    returning destination`)
  return pauses.length === limit || old.length === limit
}
