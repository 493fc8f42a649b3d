import { MAX_COUNTED, readBounded } from '../../../kernel/db/bounded-read.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { joinEvent } from '../../../kernel/outbox/events.ts'
import { newEvents } from './triggers.ts'

/** How automations stand. Numbers are counted up to MAX_COUNTED. */
export interface AutomationQueue {
  /** Events that are not taken up yet. */
  readonly noted: number
  /** Runs whose time has come. */
  readonly due: number
  /** Runs that wait for a time, of the teams that are next. */
  readonly later: number
  /** Of what is noted or due; 0 when there is neither. */
  readonly oldestDueSeconds: number
}

const LIMIT = raw(String(MAX_COUNTED))
/** Of a team: enough to see which way it goes. */
const LIMIT_EACH = raw('1000')
/** An index probe each. Those that are due come first. */
const MAX_TEAMS = raw('1000')

/** For the metrics: from one team that has runs waiting to the next, an index probe each, those that are due first. */
export async function readAutomationQueue(db: Database): Promise<AutomationQueue> {
  const now = db.clock.now()
  const [row] = await readBounded<AutomationQueue>(
    db,
    sql`
    with first_noted as (
      select o.created_at from ${newEvents.pending} n ${joinEvent('n')}
      order by n.event_id limit 1),
    waiting as materialized (
      select r.due_at from (select team_id from automation_next_due order by due_at limit ${MAX_TEAMS}) n cross join lateral (
        select due_at from automation_runs r where r.team_id = n.team_id and r.due_at is not null
        order by r.due_at limit ${LIMIT_EACH}) r
      limit ${LIMIT})
    select
      (select count(*) from (select from ${newEvents.pending} limit ${LIMIT}) n)::int as noted,
      (select count(*) from waiting where due_at <= ${now})::int as due,
      (select count(*) from waiting where due_at > ${now})::int as later,
      greatest(0, extract(epoch from ${now}::timestamptz - least(
        (select min(due_at) from waiting where due_at <= ${now}), (select created_at from first_noted))))::float8 as "oldestDueSeconds"`,
  )
  return row!
}
