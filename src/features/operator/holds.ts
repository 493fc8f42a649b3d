import { type AuditActor, recordAudit, recordAuditOfTeams } from '../../kernel/audit/record.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { takeUpMail } from '../emails/delivery/jobs.ts'
import { deleteHold, emailOf, type Hold, type HoldScope, insertHold } from '../limits/holds.ts'
import { TEAM_STATES_CHANNEL } from '../limits/team-states.ts'
import { TEAMS_OF_PEOPLE } from '../teams/reads.ts'

// Holding mail back, and releasing it. In the audit log of the team that it is about, or of all teams.

/** Undefined: there is such a hold already, or there are too many. */
export async function holdMailIn(
  trx: Transaction,
  actor: AuditActor,
  { scope, reason }: { readonly scope: HoldScope; readonly reason: string },
): Promise<Hold | undefined> {
  const hold = await insertHold(trx, scope, reason)
  if (hold) await record(trx, actor, { action: 'queue.hold', hold })
  trx.announce(TEAM_STATES_CHANNEL)
  return hold
}

/** Undefined: there is no hold with this scope. */
export async function releaseMailIn(trx: Transaction, actor: AuditActor, scope: HoldScope): Promise<Hold | undefined> {
  const hold = await deleteHold(trx, scope)
  if (!hold) return undefined
  await enqueue(trx, takeUpMail, {}, { key: hold.id })
  await record(trx, actor, { action: 'queue.release', hold })
  trx.announce(TEAM_STATES_CHANNEL)
  return hold
}

async function record(trx: Transaction, actor: AuditActor, { action, hold }: { action: string; hold: Hold }) {
  const { id, team, recipientDomain, senderDomain, destination, tag, reason } = hold
  const email = emailOf(hold)
  const details = {
    ...(email !== null ? { email } : recipientDomain !== null && { domain: recipientDomain }),
    ...(senderDomain !== null && { from: senderDomain }),
    ...(destination !== null && { destination }),
    ...(tag !== null && { tag }),
    reason,
  }
  const event = { actor, action, objectId: id, details }
  if (team !== null) await recordAudit(trx, { team, ...event })
  else await recordAuditOfTeams(trx, sql`select id as team_id from ${TEAMS_OF_PEOPLE} t`, event)
}
