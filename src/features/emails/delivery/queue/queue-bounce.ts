import type { Database, Transaction } from '../../../../kernel/db/database.ts'
import { OUTBOX_CHANNEL } from '../../../../kernel/outbox/record.ts'
import { groupBy } from '../../../../platform/group-by.ts'
import { closeApprovalsOf } from '../approvals/close.ts'
import { loadHeads } from '../ledger/load.ts'
import type { Claimed } from '../ledger/queries.ts'
import { settleIn } from '../outcomes/settle.ts'
import type { Verdict } from '../outcomes/verdict.ts'
import { changeWaiting, type QueueChange, type QueueChanged, type QueueRow, teamsOf } from './queue-changes.ts'

/**
 * Gives up on what waits: events, status and webhooks are those of a bounce. Nobody is put on the suppression list, since it says nothing
 * about the address.
 */
export const bounceWaiting = (
  db: Database,
  { reason, ...change }: QueueChange & { readonly reason: string },
): Promise<QueueChanged> => {
  const verdict: Verdict = {
    kind: 'bounced',
    // As mail servers say it: clients read the code. 5.7.0 is a policy, here ours.
    reply: `550 5.7.0 Given up by the operator: ${reason}`,
    bounce: { type: 'Undetermined', subType: 'Undetermined' },
  }
  return changeWaiting(db, change, (trx, rows) =>
    bounce(trx, rows, { verdict, isCompact: db.presence.storesCompactly }),
  )
}

/** So many emails are in memory at a time, as when they are settled after an attempt. */
const CHUNK = 200

async function bounce(
  trx: Transaction,
  rows: readonly QueueRow[],
  { verdict, isCompact }: { verdict: Verdict; isCompact: boolean },
) {
  const bounced: QueueRow[] = []
  for (let begin = 0; begin < rows.length; begin += CHUNK) {
    const chunk = rows.slice(begin, begin + CHUNK)
    const emails = await loadHeads(trx, chunk)
    const rowsByEmail = groupBy(chunk, ({ emailId }) => emailId)
    const outcomes = emails.map((email) => ({
      email,
      verdicts: (rowsByEmail.get(email.id) ?? []).map((row) => ({ row: row as Claimed, verdict })),
    }))
    await settleIn(trx, outcomes, { isCompact })
    bounced.push(...emails.flatMap(({ id }) => rowsByEmail.get(id) ?? []))
  }
  await closeApprovalsOf(trx, bounced)
  trx.announce(OUTBOX_CHANNEL)
  return teamsOf(bounced)
}
