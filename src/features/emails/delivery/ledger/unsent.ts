import type { Transaction } from '../../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../../kernel/db/sql.ts'
import { closeApprovals } from '../approvals/close.ts'
import { giveUpAfter } from '../outcomes/retry.ts'
import { latestRows, updateLastEvents } from './last-events.ts'

// Mail that nobody has begun to send: it is moved to another time, or taken out of the ledger.

/**
 * Takes the ledger rows of an email that nobody holds yet. The rows come before the email, as they do for a worker that claims
 * them: whoever is first wins, and the other one finds that there is nothing left to take.
 */
export async function takeWaiting(
  trx: Transaction,
  team: string,
  id: string,
): Promise<{ taken: number; held: number; all: number }> {
  const rows = await trx.query<{ isWaiting: boolean; isHeld: boolean }>(sql`
    select state = 'waiting' as "isWaiting", holder is not null as "isHeld" from deliveries
    where team_id = ${team} and email_id = ${id} for update`)
  const waiting = rows.filter(({ isWaiting }) => isWaiting)
  const held = waiting.filter(({ isHeld }) => isHeld).length
  return { taken: waiting.length - held, held, all: rows.length }
}

/** The email's status while its rows are ours: what it is cannot change until we are done. */
export async function lockStatus(trx: Transaction, team: string, id: string): Promise<string | undefined> {
  const [row] = await trx.query<{ last_event: string }>(sql`
    select last_event from emails where team_id = ${team} and id = ${id} for update`)
  return row?.last_event
}

/** Of an email whose rows were taken. What waited for approval does not any more. Unless all of them were, it has another status already. */
export async function cancelTaken(
  trx: Transaction,
  team: string,
  { id, now, isWhole = true }: { readonly id: string; readonly now: Date; readonly isWhole?: boolean },
) {
  await trx.query(sql.write`
    update deliveries set state = 'canceled', settled_at = ${now}, suspended_at = null, hold_id = null, parked_for = null
    where team_id = ${team} and email_id = ${id} and state = 'waiting'`)
  if (isWhole) await trx.query(updateLastEvents(latestRows([{ team, id, event: 'canceled' }])))
  await closeApprovals(trx, team, [id])
}

/** Of an email whose rows were taken. The time is the team's, that of the ledger real. */
export async function rescheduleTaken(
  trx: Transaction,
  team: string,
  id: string,
  { scheduledAt, giveUpAfterSeconds }: { scheduledAt: Date; giveUpAfterSeconds: number },
) {
  const own = trx.clock.of(team)
  await trx.query(sql.write`
    update deliveries set due_at = ${own.toReal(scheduledAt)},
      give_up_at = ${own.toReal(giveUpAfter(scheduledAt, giveUpAfterSeconds))}
    where team_id = ${team} and email_id = ${id} and state = 'waiting'`)
  await trx.query(sql.write`update emails set scheduled_at = ${scheduledAt} where team_id = ${team} and id = ${id}`)
}

/** Takes those of these emails out of the ledger that nobody holds, and returns which. Each has one recipient. */
export async function cancelFree(trx: Transaction, team: string, ids: readonly string[], now: Date): Promise<string[]> {
  const rows = await trx.query<{ id: string }>(sql.write`
    with free as materialized (
      select email_id as id from deliveries
      where team_id = ${anyTeam(team)} and email_id = any (${ids}::uuid[]) and state = 'waiting' and holder is null
      for update skip locked),
    stopped as (
      update deliveries d set state = 'canceled', settled_at = ${now}
      from free where d.state = 'waiting' and d.team_id = ${anyTeam(team)} and d.email_id = free.id),
    last_events as (${updateLastEvents(sql`(select ${anyTeam(team)}, id, 'canceled' from free)`)})
    select id from free`)
  return rows.map(({ id }) => id)
}
