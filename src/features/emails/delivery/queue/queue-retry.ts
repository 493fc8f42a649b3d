import type { Database, Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { domainOf } from '../../../../mail/address.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import { domainAsDestination } from '../pace/identity.ts'
import {
  changeWaiting,
  IS_GIVEN,
  keysOf,
  type QueueChange,
  type QueueChanged,
  type QueueRow,
  teamsOf,
} from './queue-changes.ts'
import { DESTINATION, RETRIED_STATES } from './queue-filter.ts'

/** What else is done about the destinations of mail that is retried, as pauses name them, in the transaction of its slice. */
type Lift = (trx: Transaction, destinations: ReadonlySet<string>) => Promise<void>

/**
 * Makes mail due now that is deferred, or parked, or that of the states which are named. Destinations that refused it are asked again only if whoever calls
 * this lifts their pauses: before (`endPauses`), or with `lift`.
 */
export const retryDeferred = (
  db: Database,
  { lift, ...change }: QueueChange & { readonly lift?: Lift | undefined },
): Promise<QueueChanged> =>
  changeWaiting(
    db,
    { ...change, filter: { ...change.filter, states: change.filter.states ?? RETRIED_STATES } },
    async (trx, rows) => {
      if (lift) await lift(trx, await destinationsOf(trx, rows))
      await trx.query(sql.write`
        update deliveries d set due_at = ${trx.clock.now()}, parked_for = null from ${keysOf(rows)} where ${IS_GIVEN}`)
      trx.announce(DELIVERIES_CHANNEL)
      return teamsOf(rows)
    },
  )

/** Where they went last, and their domains: an address can be refused for one domain of a site. */
async function destinationsOf(trx: Transaction, rows: readonly QueueRow[]): Promise<ReadonlySet<string>> {
  const found = await trx.query<{ name: string }>(sql`
    select distinct ${DESTINATION} as name from deliveries d, ${keysOf(rows)} where ${IS_GIVEN} and ${DESTINATION} is not null`)
  const domains = rows.map(({ recipient }) => domainAsDestination(domainOf(recipient)))
  return new Set([...found.map(({ name }) => name), ...domains])
}

/**
 * Sends mail another way: its route is the named one from now on, whatever the rules say, and it is due now unless it is scheduled for later or
 * set aside. Null: the rules decide again. Where it goes is looked up anew.
 */
export const moveWaiting = (
  db: Database,
  { route, ...change }: QueueChange & { readonly route: string | null },
): Promise<QueueChanged> =>
  changeWaiting(db, change, async (trx, rows) => {
    await trx.query(sql.write`
      update deliveries d set route = ${route}::text, destination = null, parked_for = null,
        due_at = case when d.claims = 0 then d.due_at else ${trx.clock.now()}::timestamptz end
      from ${keysOf(rows)} where ${IS_GIVEN}`)
    trx.announce(DELIVERIES_CHANNEL)
    return teamsOf(rows)
  })
