import { anyRowsOf } from '../../../../kernel/db/rows.ts'
import { raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import type { EventType } from '../../../../kernel/outbox/record.ts'
import { LAST_EVENTS, type LastEvent, replaces } from '../../../../mail/last-event.ts'

/** What has happened to an email, and may be its status from then on. */
export interface LatestEvent {
  readonly team: string
  readonly id: string
  readonly event: LastEvent
}

/** The status that an event about an email stands for; undefined: it says nothing about it. */
export const statusOf = (type: EventType): LastEvent | undefined =>
  LAST_EVENTS.find((status) => type === `email.${status}`)

/**
 * Changes the status of emails, by the one rule for it (`src/mail/last-event.ts`): nothing else writes `last_event` of an email that
 * is there, but `queueScheduled`. `rows` is a table of team, id and event, each email once. More conditions may follow, and `returning`.
 */
export const updateLastEvents = (rows: Sql): Sql => sql.write`
  update emails e set last_event = latest.event from ${rows} as latest (team_id, id, event)
  where e.team_id = latest.team_id and e.id = latest.id and ${IS_REPLACED}`

/**
 * The one step back: mail that is scheduled waits for approval from now on, since its key has got a policy. Whoever does that has its rows of the
 * ledger, so nobody has begun to send it.
 */
export const queueScheduled = (rows: Sql): Sql => sql.write`
  update emails e set last_event = 'queued' from ${rows} as held (team_id, id)
  where e.team_id = held.team_id and e.id = held.id and e.last_event = 'scheduled'`

/** The rule as SQL: asked of the row as it is when nobody else changes it. */
const IS_REPLACED = raw(
  `case latest.event ${LAST_EVENTS.filter((event) => statusesBefore(event).length > 0)
    .map((event) => `when '${event}' then e.last_event in (${statusesBefore(event)})`)
    .join(' ')} else false end`,
)

function statusesBefore(event: LastEvent): string {
  return LAST_EVENTS.filter((status) => replaces(status, event))
    .map((status) => `'${status}'`)
    .join(', ')
}

/** One for each email, in an order that is the same for everybody: two that wait for each other never meet. */
export function latestOf(events: readonly LatestEvent[]): LatestEvent[] {
  const byEmail = new Map<string, LatestEvent>()
  for (const one of events) {
    const known = byEmail.get(one.id)
    if (!known || replaces(known.event, one.event)) byEmail.set(one.id, one)
  }
  return [...byEmail.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * As the table that `updateLastEvents` takes. The limit is for the planner, which expects few rows of one that it does not know: with the ten that it expects
 * of an array, a plan that was made while there were a hundred emails reads all of them, however many they are by then.
 */
export const latestRows = (events: readonly LatestEvent[]): Sql =>
  sql`(select * from ${anyRowsOf(events, { team: 'uuid', id: 'uuid', event: 'text' })} limit ${events.length})`
