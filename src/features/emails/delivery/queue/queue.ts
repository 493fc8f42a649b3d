import type { Database, Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { closeApprovalsOf } from '../approvals/close.ts'
import { latestRows, updateLastEvents } from '../ledger/last-events.ts'
import {
  changeWaiting,
  IS_GIVEN,
  keysOf,
  type QueueChange,
  type QueueChanged,
  type QueueRow,
  teamsOf,
} from './queue-changes.ts'

/**
 * Takes what waits out of the ledger, for good. The status of an email of which nothing else has become of is `canceled`. There is no
 * event: whoever restores a database does not know what the outside has heard.
 */
export function cancelWaiting(
  db: Database,
  { reason, ...change }: QueueChange & { readonly reason?: string | undefined },
): Promise<QueueChanged> {
  const { dueBefore } = change.filter
  const why = reason || (dueBefore ? `it was due before ${dueBefore.toISOString()}` : '')
  const reply = why ? `Canceled by the operator: ${why}` : 'Canceled by the operator.'
  return changeWaiting(db, change, async (trx, rows) => {
    await cancel(trx, rows, /[.!?]$/.test(reply) ? reply : `${reply}.`)
    return teamsOf(rows)
  })
}

async function cancel(trx: Transaction, rows: readonly QueueRow[], reply: string) {
  const now = trx.clock.now()
  await trx.query(sql.write`
    update deliveries d set state = 'canceled', settled_at = ${now}, holder = null,
      replies = d.replies || jsonb_build_object('at', iso_time(${now}), 'reply', ${reply}::text)
    from ${keysOf(rows)} where ${IS_GIVEN}`)
  const emails = new Map(rows.map(({ team, emailId }) => [emailId, team]))
  const canceled = [...emails].sort().map(([id, team]) => ({ team, id, event: 'canceled' as const }))
  await trx.query(sql`
    ${updateLastEvents(latestRows(canceled))}
      and not exists (select from deliveries d where d.team_id = e.team_id and d.email_id = e.id and d.state <> 'canceled')`)
  await closeApprovalsOf(trx, rows)
}
