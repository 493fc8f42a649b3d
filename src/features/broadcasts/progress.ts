import type { Transaction } from '../../kernel/db/database.ts'
import { anyTeam, sql } from '../../kernel/db/sql.ts'
import { cancelFree } from '../emails/delivery/ledger/unsent.ts'
import { joinDeliveries } from '../emails/reads.ts'

/**
 * Looks how far the recipient emails have got: up to the first that nobody has tried yet. They are sent in the order in which they were made,
 * which is that of their ids whatever nodes have made them (`idsBehind`), so this looks at each once, and needs no index of its own. When all are made and none is left, the broadcast has been sent.
 */
export async function updateProgress(
  trx: Transaction,
  team: string,
  id: string,
  now: Date,
): Promise<'sending' | 'over'> {
  const [broadcast] = await trx.query<{ status: string; triedTo: string; isExpanded: boolean }>(sql`
    select status, tried_to as "triedTo", is_walked as "isExpanded" from broadcasts
    where team_id = ${team} and id = ${id} for update`)
  if (broadcast?.status !== 'queued') return 'over'
  const [next] = await trx.query<{ id: string }>(sql`
    select r.id from broadcast_recipients r
    ${joinDeliveries({ team: anyTeam(team), id: sql`r.id` })}
    where r.team_id = ${team} and r.broadcast_id = ${id} and r.id > ${broadcast.triedTo} and r.reason is null
      and d.state = 'waiting' and d.replies = '[]'
    order by r.id limit 1`)
  await trx.query(sql.write`
    with tried as (
      select id from broadcast_recipients
      where team_id = ${team} and broadcast_id = ${id} and reason is null
        and id > ${broadcast.triedTo} and id < ${next?.id ?? LAST})
    update broadcasts set sent = sent + (select count(*) from tried),
      tried_to = coalesce((select id from tried order by id desc limit 1), tried_to)
    where team_id = ${team} and id = ${id}`)
  if (next || !broadcast.isExpanded) return 'sending'
  await trx.query(sql.write`
    update broadcasts set status = 'sent', sent_at = ${now} where team_id = ${team} and id = ${id}`)
  return 'over'
}

/** Behind every id. */
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const BATCH = 2_000

export interface Canceling {
  /** Everybody up to here has been looked at; null at the end. */
  readonly cursor: string | null
  /** A worker holds some, and may still release them. */
  readonly isSomeHeld: boolean
}

/** Takes recipient emails that nobody holds out of the ledger, a batch at a time. */
export async function cancelSome(
  trx: Transaction,
  team: string,
  { id, after, now }: { readonly id: string; readonly after: string; readonly now: Date },
): Promise<Canceling> {
  const waiting = await trx.query<{ id: string; isHeld: boolean | null }>(sql`
    select r.id, d.holder is not null as "isHeld"
    from (
      select id from broadcast_recipients
      where team_id = ${team} and broadcast_id = ${id} and id > ${after} and reason is null
      order by id limit ${BATCH}) r
    left ${joinDeliveries({ team: anyTeam(team), id: sql`r.id` })} and d.state = 'waiting'
    order by r.id`)
  const emailIds = waiting.map((row) => row.id)
  const canceled = await cancelFree(trx, team, emailIds, now)
  await trx.query(sql.write`
    with left_out as (
      update broadcast_recipients r set reason = 'canceled'
      from unnest(${canceled}::uuid[]) as email (id)
      where r.team_id = ${anyTeam(team)} and r.broadcast_id = ${id} and r.id = email.id)
    update broadcasts set canceled = canceled + ${canceled.length} where team_id = ${team} and id = ${id}`)
  return {
    cursor: waiting.length < BATCH ? null : waiting.at(-1)!.id,
    isSomeHeld: waiting.some(({ isHeld }) => isHeld),
  }
}
