import type { Static } from 'typebox'
import { recordSystemAudit } from '../../kernel/audit/record.ts'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { record } from '../../kernel/outbox/record.ts'
import { momentOf } from '../../platform/ids.ts'
import { TEAM_STATES_CHANNEL } from '../limits/team-states.ts'
import { type BroadcastCounts, countsOfBroadcast } from '../metrics/reads.ts'
import { type BroadcastGuard, type BroadcastPause, UpdateBroadcastGuard } from './schema.ts'

// Stops a broadcast whose mail bounces or is complained about too often, before providers stop its domain. Above 0.3 % of complaints Gmail and
// Yahoo put mail into spam, and a list with more than 5 % of dead addresses was bought, or is old.

type Guard = Omit<Static<typeof BroadcastGuard>, 'object'>
type Pause = Static<typeof BroadcastPause>

const DEFAULTS: Guard = { enabled: true, min_emails: 500, max_bounce_rate: 5, max_complaint_rate: 0.3 }

export async function readGuard(db: Queryable, team: string): Promise<Guard> {
  const [guard] = await db.query<Guard>(sql`
    select enabled, min_emails, max_bounce_rate, max_complaint_rate from broadcast_guards where team_id = ${team}`)
  return guard ?? DEFAULTS
}

export async function changeGuard(trx: Transaction, team: string, changes: Static<typeof UpdateBroadcastGuard>) {
  await trx.query(sql`select from broadcast_guards where team_id = ${team} for update`)
  const guard = { ...(await readGuard(trx, team)), ...fieldsOf(UpdateBroadcastGuard, changes) }
  await trx.query(sql.write`
    insert into broadcast_guards (team_id, enabled, min_emails, max_bounce_rate, max_complaint_rate, updated_at)
    values (${team}, ${guard.enabled}, ${guard.min_emails}, ${guard.max_bounce_rate}, ${guard.max_complaint_rate},
      ${trx.clock.of(team).now()})
    on conflict (team_id) do update set enabled = excluded.enabled, min_emails = excluded.min_emails,
      max_bounce_rate = excluded.max_bounce_rate, max_complaint_rate = excluded.max_complaint_rate, updated_at = excluded.updated_at`)
}

/** What it is judged by. */
type Judged = Pick<BroadcastCounts, 'delivered' | 'bounced' | 'bounced_permanent' | 'complained'>

/** Why a broadcast has to stop, or null. */
export function causeToPause(counts: Judged, guard: Guard): Pause | null {
  const tried = counts.delivered + counts.bounced
  if (!guard.enabled || tried < guard.min_emails) return null
  const bounceRate = percent(counts.bounced_permanent, tried)
  if (bounceRate > guard.max_bounce_rate)
    return { cause: 'bounces', rate: bounceRate, max_rate: guard.max_bounce_rate, emails: tried }
  const complaintRate = percent(counts.complained, counts.delivered)
  if (complaintRate > guard.max_complaint_rate)
    return { cause: 'complaints', rate: complaintRate, max_rate: guard.max_complaint_rate, emails: tried }
  return null
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100)

/**
 * Pauses a broadcast that is being sent if its counts say so, and returns whether it has. The caller has locked it, so it happens once, and commits with its
 * entry in the audit log and with the event that webhooks tell. The counters are some seconds behind: they are what is counted anyway, and nothing is read twice for this.
 */
export async function pauseIfHarmful(trx: Transaction, team: string, id: string): Promise<boolean> {
  const [first] = await trx.query<{ id: string; isGuarded: boolean }>(sql`
    select r.id, b.is_guarded as "isGuarded" from broadcasts b
    join broadcast_recipients r on r.team_id = b.team_id and r.broadcast_id = b.id
    where b.team_id = ${team} and b.id = ${id} order by r.id limit 1`)
  if (!first?.isGuarded) return false
  const guard = await readGuard(trx, team)
  const [counts] = await trx.query<BroadcastCounts>(
    sql`select * from ${countsOfBroadcast(team, id, momentOf(first.id))} counted`,
  )
  const pause = causeToPause(counts!, guard)
  if (!pause) return false
  const now = trx.clock.of(team).now()
  const [paused] = await trx.query<{ name: string }>(sql.write`
    update broadcasts set paused_at = ${now}, pause = ${JSON.stringify(pause)}::jsonb
    where team_id = ${team} and id = ${id} and status = 'queued' and paused_at is null returning name`)
  if (!paused) return false
  await recordSystemAudit(trx, team, { action: 'broadcasts.pause', objectId: id, details: pause })
  await record(trx, team, 'broadcast.paused', [{ id, name: paused.name, pause, paused_at: now.toISOString() }])
  trx.announce(TEAM_STATES_CHANNEL)
  return true
}
