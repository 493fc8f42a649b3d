import type { Transaction } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { type NewEvent, recordAll } from '../../../../kernel/outbox/record.ts'
import { isGrantRevoked } from '../../../oauth/reads.ts'
import { countFreed, type FreedEmail } from '../../../policies/freeing.ts'
import { lockPolicies, type PolicyRef } from '../../../policies/queries.ts'
import { countedAt } from '../../../policies/reads.ts'
import type { Refusal } from '../../../policies/rules.ts'
import { emailEventData } from '../email.ts'
import { WAITS_FOR_APPROVAL } from '../ledger/approval-hold.ts'
import { latestRows, updateLastEvents } from '../ledger/last-events.ts'
import { IS_OWNED, loadHeads } from '../ledger/load.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import { giveUpAfter } from '../outcomes/retry.ts'
import { type ApprovalStatus, approvalEventData, type PendingApproval } from './approval.ts'

export interface Deciding {
  readonly ids: readonly string[]
  readonly decision: 'approved' | 'refused' | 'expired'
  /** As people know whoever decides; null: nobody did. */
  readonly by: string | null
  readonly giveUpAfterSeconds: number
}

export interface Decided {
  readonly id: string
  readonly status: ApprovalStatus
  readonly decidedBy: string | null
  /** False: somebody was there before, or it waits on. */
  readonly isNew: boolean
  /** Set: a limit of its policy leaves no room for it, so it waits on. */
  readonly refusal?: Refusal
}

interface LockedApproval extends PendingApproval {
  readonly id: string
  readonly status: ApprovalStatus
  readonly decidedBy: string | null
  readonly isOverdue: boolean
}

interface ApprovalOutcome extends LockedApproval {
  readonly scheduledAt: Date | null
}

/**
 * Decides about mail that waits: approvals, ledger, status, events, all in one transaction, each approval once, whoever is first. The approval is locked before the rows of
 * the ledger by all who decide; whoever has these rows already and takes mail out of the queue passes over approvals that are locked (`closeApprovals`), so
 * nobody waits for each other. Before the approvals come the policies, as for whoever accepts or judges mail: what is approved counts when it leaves, and what a limit leaves no room
 * for waits on. Ids of which there is no approval are left out.
 */
export async function decideApprovals(trx: Transaction, team: string, deciding: Deciding): Promise<Decided[]> {
  const now = trx.clock.of(team).now()
  if (deciding.decision === 'approved') await lockPoliciesOf(trx, team, deciding.ids)
  const found = await trx.query<LockedApproval>(sql`
    select a.email_id as id, a.status, a.decided_by as "decidedBy", a.policy_id as "policyId", a.holder, a.expires_at as "expiresAt",
      a.expires_at <= ${now}::timestamptz as "isOverdue"
    from approvals a where a.team_id = ${team} and a.email_id = any (${deciding.ids}::uuid[]) order by a.email_id for update`)
  const open = found.filter(({ status }) => status === 'waiting')
  const settled = await settle(trx, team, { ...deciding, open })
  const fates = new Map(settled.fates.map((fate) => [fate.id, fate]))
  return found.map(({ id, status, decidedBy }) => {
    const fate = fates.get(id)
    const refusal = settled.refused.get(id)
    return {
      id,
      status: fate?.status ?? status,
      decidedBy: fate ? fate.decidedBy : decidedBy,
      isNew: fate !== undefined,
      ...(refusal && { refusal }),
    }
  })
}

async function lockPoliciesOf(trx: Transaction, team: string, ids: readonly string[]) {
  const refs = await trx.query<PolicyRef>(sql`
    select distinct a.team_id as team, a.policy_id as "policyId" from approvals a
    where a.team_id = ${team} and a.email_id = any (${ids}::uuid[]) and a.status = 'waiting'`)
  if (refs.length > 0) await lockPolicies(trx, refs)
}

async function settle(
  trx: Transaction,
  team: string,
  { open, decision, by, giveUpAfterSeconds }: Deciding & { readonly open: readonly LockedApproval[] },
): Promise<{ readonly fates: readonly ApprovalOutcome[]; readonly refused: ReadonlyMap<string, Refusal> }> {
  if (open.length === 0) return { fates: [], refused: new Map() }
  const mail = await readMail(trx, team, open)
  const all = open.map((one): ApprovalOutcome => {
    const known = mail.get(one.id)
    const status = one.isOverdue ? 'expired' : decision === 'approved' && !known?.isOwned ? 'canceled' : decision
    return { ...one, status, decidedBy: status === decision ? by : null, scheduledAt: known?.scheduledAt ?? null }
  })
  const approved = all.filter(isApproved).map(({ id }) => mail.get(id)!)
  const refused = await countFreed(trx, approved)
  const wanted = all.filter(({ id }) => !refused.has(id))
  const freed = await free(trx, team, { mail: wanted.filter(isApproved), giveUpAfterSeconds })
  // Somebody has taken it out of the queue, and could not say so here.
  const fates = wanted.map(
    (one): ApprovalOutcome =>
      isApproved(one) && !freed.has(one.id) ? { ...one, status: 'canceled', decidedBy: null } : one,
  )
  await cancel(
    trx,
    team,
    fates.filter((one) => !isApproved(one)),
  )
  if (fates.length > 0) await write(trx, team, fates)
  return { fates, refused }
}

const isApproved = ({ status }: Pick<ApprovalOutcome, 'status'>) => status === 'approved'

/** What a deleted key, or an app that has no access any more, has left waiting is not sent, as what a deleted key has scheduled. */
async function readMail(trx: Transaction, team: string, open: readonly LockedApproval[]) {
  const rows = await trx.query<FreedEmail & { readonly scheduledAt: Date | null; readonly isOwned: boolean }>(sql`
    select e.team_id as team, e.id, e."from", e."to", e.cc, e.subject, e.scheduled_at as "scheduledAt", a.policy_id as "policyId",
      array(select d.recipient from deliveries d where d.team_id = e.team_id and d.email_id = e.id order by d.position) as recipients,
      ${countedAt(sql`a.team_id`, sql`a.policy_id`, sql`a.email_id`)} as "countedAt",
      ${IS_OWNED} and not (a.holder = 'oauth_grant' and ${isGrantRevoked(sql`a.team_id`, sql`a.policy_id`)}) as "isOwned"
    from approvals a join emails e on e.team_id = a.team_id and e.id = a.email_id
    where a.team_id = ${team} and a.email_id = any (${open.map(({ id }) => id)}::uuid[])
    order by a.email_id`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** It can be claimed from now on, or when it was scheduled for, and has all of its time to be tried. Gives the emails that had something to be freed. */
async function free(
  trx: Transaction,
  team: string,
  { mail, giveUpAfterSeconds }: { readonly mail: readonly ApprovalOutcome[]; readonly giveUpAfterSeconds: number },
): Promise<ReadonlySet<string>> {
  if (mail.length === 0) return new Set()
  const own = trx.clock.of(team)
  const now = own.now()
  const times = mail.map(({ id, scheduledAt }) => {
    const due = scheduledAt && scheduledAt > now ? scheduledAt : now
    return { id, dueAt: own.toReal(due), giveUpAt: own.toReal(giveUpAfter(due, giveUpAfterSeconds)) }
  })
  const rows = await trx.query<{ id: string }>(sql.write`
    update deliveries d set suspended_at = null, hold_id = null, due_at = given."dueAt", give_up_at = given."giveUpAt"
    from ${rowsOf(times, { id: 'uuid', dueAt: 'timestamptz', giveUpAt: 'timestamptz' })}
    where ${WAITS_FOR_APPROVAL} and d.team_id = ${team} and d.email_id = given.id
    returning d.email_id as id`)
  trx.announce(DELIVERIES_CHANNEL)
  return new Set(rows.map(({ id }) => id))
}

const REPLIES: Partial<Record<ApprovalStatus, (by: string | null) => string>> = {
  refused: (by) => (by ? `Refused by ${by}.` : 'Refused.'),
  expired: () => 'Nobody approved it in time.',
  canceled: () => 'Its API key, or the access of its app, ended before it was approved.',
}

async function cancel(trx: Transaction, team: string, mail: readonly ApprovalOutcome[]) {
  if (mail.length === 0) return
  const now = trx.clock.of(team).now()
  const replies = mail.map(({ id, status, decidedBy }) => ({ id, reply: REPLIES[status]?.(decidedBy) ?? 'Canceled.' }))
  await trx.query(sql.write`
    update deliveries d set state = 'canceled', settled_at = ${now}, suspended_at = null, hold_id = null,
      replies = d.replies || jsonb_build_object('at', iso_time(${now}), 'reply', given.reply)
    from ${rowsOf(replies, { id: 'uuid', reply: 'text' })}
    where ${WAITS_FOR_APPROVAL} and d.team_id = ${team} and d.email_id = given.id`)
}

async function write(trx: Transaction, team: string, fates: readonly ApprovalOutcome[]) {
  const decidedAt = trx.clock.of(team).now()
  await trx.query(sql.write`
    update approvals a set status = given.status, decided_at = ${decidedAt}, decided_by = given."decidedBy"
    from ${rowsOf(fates, { id: 'uuid', status: 'text', decidedBy: 'text' })}
    where a.team_id = ${team} and a.email_id = given.id`)
  const isLater = ({ scheduledAt }: ApprovalOutcome) => scheduledAt !== null && scheduledAt > decidedAt
  const eventOf = (fate: ApprovalOutcome) => (isApproved(fate) ? (isLater(fate) ? 'scheduled' : 'sent') : 'canceled')
  const latest = fates.map((fate) => ({ team, id: fate.id, event: eventOf(fate) }) as const)
  // An operator may have given up on some recipients: then that is its status.
  await trx.query(sql`${updateLastEvents(latestRows(latest))} and e.last_event = 'queued'`)
  const byId = new Map(fates.map((fate) => [fate.id, fate]))
  const emails = await loadHeads(
    trx,
    fates.map(({ id }) => ({ team, emailId: id })),
  )
  const events = emails.flatMap((email): NewEvent[] => {
    const fate = byId.get(email.id)!
    const { id: about } = email
    const data = approvalEventData(email, { ...fate, decidedAt })
    if (!isApproved(fate))
      return fate.status === 'canceled'
        ? []
        : [{ team, type: `approval.${fate.status as 'refused' | 'expired'}`, data, about }]
    const begun = isLater(fate) ? 'email.scheduled' : 'email.sent'
    return [
      { team, type: 'approval.approved', data, about },
      { team, type: begun, data: emailEventData(email, email.to), about },
    ]
  })
  await recordAll(trx, events)
}
