import type { Database, Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import { endPauses } from '../transport/destination-pauses.ts'
import type { RecipientsOfTeam } from './queue.ts'
import { isInState, isWanted, type QueueFilter } from './queue-filter.ts'

const BATCH = 5_000

/**
 * Makes deferred mail due now, and returns how many recipients there were. Destinations that refused our address are asked again: whoever
 * retries expects another answer. `record` writes down, in the transaction of each batch, what it has done to which team.
 */
export async function retryDeferred(
  db: Database,
  filter: QueueFilter,
  record: (trx: Queryable, teams: readonly RecipientsOfTeam[]) => Promise<void>,
): Promise<number> {
  const now = db.clock.now()
  await db.transaction((trx) => endPauses(trx))
  let retried = 0
  for (;;) {
    const count = await db.transaction(async (trx) => {
      const teams = await retrySome(trx, filter, now)
      await record(trx, teams)
      trx.announce(DELIVERIES_CHANNEL)
      return teams.reduce((sum, { recipients }) => sum + recipients, 0)
    })
    retried += count
    if (count < BATCH) return retried
  }
}

/** What somebody else has locked is being sent, or canceled. */
const retrySome = (trx: Transaction, filter: QueueFilter, now: Date): Promise<RecipientsOfTeam[]> =>
  trx.query(sql.write`
    with taken as materialized (
      select d.team_id, d.email_id, d.position from deliveries d
      where ${isInState('deferred', now)} and ${isWanted(filter)} limit ${BATCH} for update skip locked),
    retried as (
      update deliveries d set due_at = ${now}
      from taken where d.state = 'waiting' and d.team_id = taken.team_id and d.email_id = taken.email_id and d.position = taken.position
      returning d.team_id)
    select team_id as team, count(*)::int as recipients from retried group by team_id`)
