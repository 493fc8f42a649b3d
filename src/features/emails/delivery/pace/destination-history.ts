import type { Queryable } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import type { PacedKind } from './identity.ts'
import type { DeliveryPause } from './pause-store.ts'

// For operators: what became of a destination's rates and pauses, as far as it is remembered.

/** A rate that became another one. Null is as fast as the ceilings allow. */
export interface PaceChange {
  readonly at: Date
  readonly kind: PacedKind
  readonly identity: string
  readonly cause: 'throttled' | 'grown' | 'forgotten'
  readonly fromRate: number | null
  readonly toRate: number | null
  readonly reply: string | null
  readonly class: string | null
}

/** The newest ones, the newest first. */
export const findPaceChanges = (
  db: Queryable,
  destination: string,
  { since, limit }: { readonly since: Date; readonly limit: number },
) =>
  db.query<PaceChange>(sql`
    select at, kind, identity, cause, from_rate as "fromRate", to_rate as "toRate", reply, class from pace_changes
    where destination = ${destination} and at >= ${since} order by at desc, id desc limit ${limit}`)

export interface RememberedPause extends DeliveryPause {
  readonly liftedAt: Date | null
  readonly liftedReason: string | null
}

/** Also those that have ended: the next refusal is paused for longer. The last to end first. */
export const findPausesOf = (db: Queryable, destination: string, limit: number) =>
  db.query<RememberedPause>(sql`
    select destination, kind, identity, paused_until as "pausedUntil", refusals, host, reply, class, refused_at as "refusedAt",
      lifted_at as "liftedAt", lifted_reason as "liftedReason"
    from delivery_pauses where destination = ${destination} order by paused_until desc limit ${limit}`)
