import type { Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { groupBy } from '../../../../platform/group-by.ts'
import { APPROVAL_HOLD } from '../ledger/approval-hold.ts'

/**
 * Of mail that was taken out of the queue, by whoever has locked its rows there: nobody is asked about it any more. One that somebody decides about at this moment is left to
 * them.
 */
export async function closeApprovals(trx: Transaction, team: string, ids: readonly string[]) {
  await trx.query(sql.write`
    update approvals a set status = 'canceled', decided_at = ${trx.clock.of(team).now()}
    from (
      select email_id from approvals a
      where a.team_id = ${team} and a.email_id = any (${ids}::uuid[]) and a.status = 'waiting'
        and not exists (
          select from deliveries d where d.team_id = a.team_id and d.email_id = a.email_id and d.state = 'waiting' and d.hold_id = ${APPROVAL_HOLD})
      order by email_id for update skip locked) closed
    where a.team_id = ${team} and a.email_id = closed.email_id`)
}

/** The same of rows of several teams. */
export async function closeApprovalsOf(
  trx: Transaction,
  rows: readonly { readonly team: string; readonly emailId: string }[],
) {
  for (const [team, own] of groupBy(rows, ({ team }) => team))
    await closeApprovals(trx, team, [...new Set(own.map(({ emailId }) => emailId))])
}
