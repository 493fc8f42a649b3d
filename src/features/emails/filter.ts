import type { Static } from 'typebox'
import { join, type Sql, sql } from '../../kernel/db/sql.ts'
import { hasAddress } from '../../kernel/http/address-filter.ts'
import { EVERYWHERE, type IdRange as IdPiece, within } from '../../kernel/http/id-ranges.ts'
import { readMoment } from '../../kernel/http/moment.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { FIRST_ID, type IdRange, LAST_ID, later, sooner } from '../../kernel/search/ranges.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { readTag } from './delivery/queue/queue-filter.ts'
import { ownEmailRows } from './queries.ts'
import type { EmailFilter } from './schema.ts'

/** `to`: a whole address. `range`: what a search says about time. */
export type Filter = Omit<Static<typeof EmailFilter>, 'q'> & { readonly range?: IdRange }

/**
 * The emails of a team that fit. Times are ids, so they cost nothing. For the others there is a way to what is rare (migration 0025),
 * and what is frequent is soon met along the list, newest first: PostgreSQL chooses by its statistics, anew for each question.
 * With one plan for all, an address that a third of a million emails went to took 5 s; chosen, 1 ms, and one with two emails 3 to 8.
 * The statistics know nothing of two filters together: see `findCombined`.
 */
export function filteredEmails(team: string, filter: Filter): Rows {
  const rows = ownEmailRows(team)
  if (conditionsOf(team, filter, EVERYWHERE).length === 0) return rows
  const { status } = filter
  const { to: before } = rangeOf(team, filter)
  const whereIn = (piece: IdPiece) => sql`${rows.where} and ${join(conditionsOf(team, filter, piece), ' and ')}`
  const filtered: Rows = {
    ...rows,
    from:
      status !== undefined && isListed(status)
        ? sql`${rows.from} join emails_by_status s on s.team_id = e.team_id and s.email_id = e.id`
        : rows.from,
    where: whereIn(EVERYWHERE),
    periods: { days: 7, ...(before !== LAST_ID && { before }) },
    isFiltered: true,
  }
  return { ...filtered, narrowed: (piece) => ({ ...filtered, where: whereIn(piece) }) }
}

/**
 * Lists of a status and deliveries are told the bounds of emails, too: PostgreSQL does not know that their ids are the same, and read all that is newer
 * before it came to a page of last month, 25,000 of 50,000 emails that had bounced.
 */
function conditionsOf(team: string, filter: Filter, piece: IdPiece): Sql[] {
  const { status, to, tag } = filter
  const boundsOf = (id: Sql) => sql`${join([sql`true`, ...timesOf(team, filter, id)], ' and ')} ${within(id, piece)}`
  const conditions: Sql[] = timesOf(team, filter, sql`e.id`)
  if (status !== undefined)
    conditions.push(
      isListed(status) ? sql`s.status = ${status} and ${boundsOf(sql`s.email_id`)}` : hasUnlistedStatus(team, status),
    )
  if (to !== undefined) conditions.push(hasRecipient(to, { bounds: boundsOf(sql`d.email_id`) }))
  if (tag !== undefined) conditions.push(hasTag(team, tag))
  return conditions
}

/** Conditions on an id. */
export function timesOf(team: string, filter: Filter, id: Sql): Sql[] {
  const { from, to } = rangeOf(team, filter)
  return [...(from === FIRST_ID ? [] : [sql`${id} >= ${from}`]), ...(to === LAST_ID ? [] : [sql`${id} < ${to}`])]
}

/** Ids have the time in them. */
export function rangeOf(team: string, { created_after, created_before, range }: Filter): IdRange {
  const after = created_after === undefined ? FIRST_ID : firstIdAt(readMoment('created_after', created_after), team)
  const before = created_before === undefined ? LAST_ID : firstIdAt(readMoment('created_before', created_before), team)
  return { from: later(after, range?.from ?? FIRST_ID), to: sooner(before, range?.to ?? LAST_ID) }
}

type Status = Filter['status'] & string

/** Statuses that are in no list of their own: nearly all emails have them, or had them for a moment. */
const UNLISTED: ReadonlySet<Status> = new Set<Status>(['sent', 'delivered'])

export const isListed = (status: Status) => !UNLISTED.has(status)

function hasUnlistedStatus(team: string, status: Status): Sql {
  if (status === 'delivered') return sql`e.last_event = 'delivered'`
  return sql`e.last_event = 'sent' and e.id in (${idsOfWaiting(team)})`
}

/** Mail of which nothing but that it was sent is told yet is waiting, and what waits has an index: free, set aside, or held. */
export const idsOfWaiting = (team: string): Sql => sql`
  select email_id as id from deliveries where team_id = ${team} and state = 'waiting' and holder is null and suspended_at is null
  union all select email_id from deliveries where team_id = ${team} and state = 'waiting' and suspended_at is not null and hold_id is null
  union all select email_id from deliveries where team_id = ${team} and state = 'waiting' and suspended_at is not null and hold_id is not null
  union all select email_id from deliveries where team_id = ${team} and state = 'waiting' and holder is not null`

/** Of an email `e`, or of whatever else has its id. */
export const hasRecipient = (
  to: string,
  { id = sql`e.id`, team = sql`e.team_id`, bounds = sql`true` }: { id?: Sql; team?: Sql; bounds?: Sql } = {},
): Sql => sql`exists (
  select from deliveries d
  where d.team_id = ${team} and d.email_id = ${id} and ${bounds} and ${hasAddress(sql`d.recipient`, to)})`

/** As the index has it: below the team. */
export const hasTag = (team: string, tag: string): Sql => sql`
  jsonb_set('{}'::jsonb, array[e.team_id::text], e.tags) @> ${JSON.stringify({ [team]: [readTag(tag)] })}::jsonb`
