import type { Database, Queryable } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { withMovedRows } from '../../../../kernel/db/with-retries.ts'
import { latestRows, updateLastEvents } from '../ledger/last-events.ts'
import { isWanted, type QueueFilter } from './queue-filter.ts'

// For operators, beside the worker: takes what waits in the ledger of all teams out of it.

const BATCH = 1_000

/** How many recipients of a team a batch was about. */
export interface RecipientsOfTeam {
  readonly team: string
  readonly recipients: number
}

/**
 * Takes what waits out of the ledger, for good, and returns how many recipients there were. The status of an email of
 * which nothing else has become of is `canceled`. There is no event: whoever restores a database does not know what the outside has heard.
 * `record` writes down, in the transaction of each batch, what it has done to which team.
 */
export async function cancelWaiting(
  db: Database,
  filter: Omit<QueueFilter, 'states'>,
  record: (trx: Queryable, teams: readonly RecipientsOfTeam[]) => Promise<void>,
): Promise<number> {
  let canceled = 0
  for (;;) {
    const count = await withMovedRows(() =>
      db.transaction(async (trx) => {
        const teams = await cancelSome(trx, filter, db.clock.now())
        await record(trx, teams)
        return teams.reduce((sum, { recipients }) => sum + recipients, 0)
      }),
    )
    canceled += count
    if (count < BATCH) return canceled
  }
}

async function cancelSome(trx: Queryable, filter: QueueFilter, now: Date): Promise<RecipientsOfTeam[]> {
  const { dueBefore } = filter
  const reply = `Canceled by the operator${dueBefore ? `: it was due before ${dueBefore.toISOString()}` : ''}.`
  const emails = await trx.query<{ team: string; id: string }>(sql.write`
    with taken as materialized (
      select d.team_id, d.email_id, d.position from deliveries d
      where d.state = 'waiting' and ${isWanted(filter)} order by d.team_id, d.email_id, d.position limit ${BATCH} for update)
    update deliveries d set state = 'canceled', settled_at = ${now}, holder = null,
      replies = d.replies || jsonb_build_object('at', iso_time(${now}), 'reply', ${reply}::text)
    from taken where d.state = 'waiting' and d.team_id = taken.team_id and d.email_id = taken.email_id and d.position = taken.position
    returning d.team_id as team, d.email_id as id`)
  const canceled = emails.map(({ team, id }) => ({ team, id, event: 'canceled' as const }))
  await trx.query(sql`
    ${updateLastEvents(sql`(select distinct * from ${latestRows(canceled)} as given)`)}
      and not exists (select from deliveries d where d.team_id = e.team_id and d.email_id = e.id and d.state <> 'canceled')`)
  const byTeam = new Map<string, number>()
  for (const { team } of emails) byTeam.set(team, (byTeam.get(team) ?? 0) + 1)
  return [...byTeam].map(([team, recipients]) => ({ team, recipients }))
}
