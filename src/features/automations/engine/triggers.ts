import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { joinEvent } from '../../../kernel/outbox/events.ts'
import { Subscription } from '../../../kernel/outbox/subscription.ts'
import { eventData } from '../../emails/reads.ts'
import type { SendingRun } from './chain.ts'
import { findDue, type Run } from './runs.ts'
import type { Payload } from './values.ts'

/** Events that automations have not taken up yet. */
export const newEvents = new Subscription('automation_events')

/** An event that a run may begin with or wait for. */
export interface TakenEvent {
  readonly id: string
  readonly name: string
  readonly payload: Payload
  /** Whom it is about: by id, or by address. */
  readonly contactId: string | null
  readonly emails: readonly string[]
  /** Addresses that are no contacts become contacts when a run begins: somebody has said that the event is about them. */
  readonly makesContacts: boolean
  /** Runs up to this one were woken by it already. */
  readonly reached: string | null
  /** The email that it is about. */
  readonly about: string | null
  /** The run that has sent that email, if one has. */
  readonly sender: SendingRun | null
  /** When it came, in the time of the team. */
  readonly moment: Date
  /** The same in real time. */
  readonly at: Date
}

/** What advances runs: an event, or a run whose time has come. */
export type Trigger =
  | { readonly kind: 'event'; readonly at: Date; readonly event: TakenEvent }
  | { readonly kind: 'due'; readonly at: Date; readonly run: Run }

/**
 * The next triggers of a team, in the order of time. Each kind is read up to a limit; what lies behind the last of a kind
 * that may have more is left for the next time, so that no event overtakes a delay that was over before it.
 */
export async function findTriggers(trx: Transaction, team: string, limit: number): Promise<Trigger[]> {
  const events = await findEvents(trx, team, limit)
  const due = await findDue(trx, team, trx.clock.now(), limit)
  const horizon = Math.min(
    lastOf(events, limit),
    lastOf(
      due.map(({ dueAt }) => ({ at: dueAt! })),
      limit,
    ),
  )
  const triggers: Trigger[] = [
    ...due.map((run) => ({ kind: 'due' as const, at: run.dueAt!, run })),
    ...events.map((event) => ({ kind: 'event' as const, at: event.at, event })),
  ]
  // Stable: of one moment, what was due comes first, and events stay in the order of their acceptance.
  const inOrder = triggers.sort((a, b) => a.at.getTime() - b.at.getTime())
  return inOrder.filter(({ at }, index) => index === 0 || at.getTime() <= horizon).slice(0, limit)
}

/** Identifies a trigger, so that whoever drops it drops none that came after it. */
export const triggerKey = (trigger: Trigger): string =>
  trigger.kind === 'event' ? trigger.event.id : `${trigger.run.id} ${trigger.at.toISOString()}`

/** Until when everything is known. */
const lastOf = (rows: readonly { readonly at: Date }[], limit: number) =>
  rows.length < limit ? Number.POSITIVE_INFINITY : Math.max(...rows.map(({ at }) => at.getTime()))

interface EventRow {
  readonly id: string
  readonly type: string
  readonly data: Payload
  readonly about: string | null
  readonly reached: string | null
  readonly createdAt: Date
  readonly sender: SendingRun | null
}

/** No event of a contact overtakes another: their times are made to grow with the order in which they were accepted. */
async function findEvents(trx: Transaction, team: string, limit: number): Promise<TakenEvent[]> {
  const rows = await trx.query<EventRow>(sql`
    select o.id, o.type, ${eventData('o')} as data, o.about, n.reached, o.created_at as "createdAt",
      case when e.email_id is not null then json_build_object('automationId', e.automation_id, 'depth', e.depth) end as sender
    from automation_events n ${joinEvent('n')}
    left join automation_emails e on e.team_id = o.team_id and e.email_id = o.about
    where n.team_id = ${team} order by n.seq limit ${limit}`)
  const own = trx.clock.of(team)
  let [moment, at] = [0, 0]
  return rows.map((row) => {
    moment = Math.max(moment, row.createdAt.getTime())
    at = Math.max(at, own.toReal(row.createdAt).getTime())
    const event = row.type === 'event.sent' ? sentEvent(row) : emailEvent(row)
    return {
      ...event,
      id: row.id,
      about: row.about,
      sender: row.sender,
      reached: row.reached,
      moment: new Date(moment),
      at: new Date(at),
    }
  })
}

/** One that the team has sent. */
function sentEvent({ data }: EventRow) {
  const { event, contact_id, email, payload } = data as {
    event: string
    contact_id?: string | null
    email?: string | null
    payload?: Payload | null
  }
  return {
    name: event,
    payload: payload ?? {},
    contactId: contact_id ?? null,
    emails: email ? [email] : [],
    makesContacts: true,
  }
}

/** Something that happened to an email: what a webhook would get. */
const emailEvent = ({ type, data }: EventRow) => ({
  name: `resend:${type}`,
  payload: data,
  contactId: null,
  emails: Array.isArray(data.to) ? (data.to as string[]) : [],
  makesContacts: false,
})

export async function takeEvents(trx: Transaction, team: string, ids: readonly string[]) {
  if (ids.length > 0) await trx.query(newEvents.take(team, ids))
}

/** Up to so many teams whose time has come are read to find those behind a certain one. */
const FEW_DUE = 1_000

interface WhichTeams {
  readonly after: string
  readonly except: readonly string[]
  readonly now: Date
  readonly limit: number
}

/** Teams that have something to be dealt with, behind the one that is named. */
export async function findTeams(db: Queryable, which: WhichTeams): Promise<string[]> {
  const rows = await db.query<{ team: string }>(teamsQuery(which))
  return rows.map(({ team }) => team)
}

/**
 * Those with events are found by a skip scan, an index probe each, no further than is needed. Of those with runs that wait only the ones are read whose
 * time has come, in the order of time: all of them, while they are few. When they are many, as on a Monday at nine, a walk along the teams finds one of them every few
 * rows; sorting all for each look would be as many reads as there are pairs of them. The sum keeps the planner from the index by time.
 */
export const teamsQuery = ({ after, except, now, limit }: WhichTeams) => sql`
  with recursive noted (team_id, place) as (
    (select n.team_id, 1 from automation_events n where n.team_id > ${after} order by n.team_id limit 1)
    union all
    select next.team_id, noted.place + 1 from noted cross join lateral (
      select n.team_id from automation_events n where n.team_id > noted.team_id order by n.team_id limit 1) next
    where noted.place < ${limit + except.length}::int),
  due as materialized (
    select team_id from automation_next_due where due_at <= ${now} order by due_at limit ${raw(String(FEW_DUE + 1))})
  select team_id as team from (
    select team_id from noted
    union
    (select team_id from due
    where (select count(*) from due) <= ${raw(String(FEW_DUE))} and team_id > ${after} and team_id <> all (${except}::uuid[])
    order by team_id limit ${limit})
    union
    (select n.team_id from automation_next_due n
    where (select count(*) from due) > ${raw(String(FEW_DUE))} and n.team_id > ${after} and n.due_at + interval '0' <= ${now}
      and n.team_id <> all (${except}::uuid[])
    order by n.team_id limit ${limit})) found
  where team_id <> all (${except}::uuid[])
  order by team_id limit ${limit}`
