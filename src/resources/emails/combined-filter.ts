import { isWholeAddress } from '../../http/address-filter.ts'
import { FoundItems, foundOn, pageStatement } from '../../http/list.ts'
import type { Window } from '../../http/page.ts'
import type { Rows } from '../../http/rows.ts'
import type { Database, Queryable } from '../../platform/db/database.ts'
import { join, raw, type Sql, sql } from '../../platform/db/sql.ts'
import {
  type Filter,
  filteredEmails,
  hasRecipient,
  hasTag,
  idsOfWaiting,
  isListed,
  readTag,
  timesOf,
} from './filter.ts'
import { emailRows } from './queries.ts'

/** Of the list, or of a status: what is frequent is met there. */
const FIRST_PIECE = 300
/** A filter that fits no more emails than this leads to the page, and the others are asked of what it fits. */
const MAX_CANDIDATES = 5_000

/** Emails of a team that fit. */
export async function findEmails(
  db: Database,
  team: string,
  filter: Filter,
  window: Window,
): Promise<Rows | FoundItems> {
  const { status, to, tag } = filter
  // Of tags there are no statistics by team.
  const isCombined = tag !== undefined || (status !== undefined && to !== undefined)
  return isCombined ? findCombined(db, team, filter, window) : filteredEmails(team, filter)
}

/**
 * Status, recipient and tag together, or a tag. The statistics say how frequent each is and nothing of both, so PostgreSQL expects to meet a page of
 * two frequent ones soon, and where they exclude each other it asked every email with the status: 208,542 buffers of 1.3 million emails.
 * So it is done in steps, each in an order that PostgreSQL has no choice about: the newest few of the status or of the list; then what the
 * rarest filter fits, if that is few; and only then all of the status, without asking for the emails themselves.
 */
async function findCombined(db: Database, team: string, filter: Filter, window: Window): Promise<FoundItems> {
  return db.searching(async (trx) => {
    const limit = window.limit!
    const read = (rows: Rows) => readItems(trx, rows, window)
    const first = await read(firstPiece(team, filter, window))
    if (first.items.length > limit) return first
    const rarest = await findRarest(trx, team, filter)
    return read(rarest ? fittingAmong(team, filter, rarest) : allThatFit(team, filter))
  })
}

async function readItems(trx: Queryable, rows: Rows, window: Window): Promise<FoundItems> {
  const [page] = await trx.query<{ items: string }>(pageStatement(rows, window, window.limit!))
  return new FoundItems(foundOn(page!).map((item) => JSON.parse(item)))
}

/** Of an email `e`. */
function testsOf(team: string, { status, to, tag }: Filter): Sql[] {
  return [
    ...(status === undefined ? [] : [sql`e.last_event = ${status}`]),
    ...(to === undefined ? [] : [hasRecipient(to)]),
    ...(tag === undefined ? [] : [hasTag(team, tag)]),
  ]
}

function firstPiece(team: string, filter: Filter, { cursor, direction }: Window): Rows {
  const { status } = filter
  const isByStatus = status !== undefined && isListed(status)
  const id = isByStatus ? sql`l.email_id` : sql`l.id`
  const isNewer = direction === 'newer'
  const behind = cursor === null ? [] : [isNewer ? sql`${id} > ${cursor}` : sql`${id} < ${cursor}`]
  const ofTeam = isByStatus ? sql`l.team_id = ${team} and l.status = ${status}` : sql`l.team_id = ${team}`
  const piece = sql`
    select ${id} as id from ${isByStatus ? sql`emails_by_status` : sql`emails`} l
    where ${join([ofTeam, ...timesOf(filter, id), ...behind], ' and ')}
    order by ${id} ${isNewer ? sql`asc` : sql`desc`} limit ${raw(String(FIRST_PIECE))}`
  return fittingAmong(team, filter, piece)
}

/** The ids in an array: PostgreSQL looks each of them up. */
function fittingAmong(team: string, filter: Filter, ids: Sql): Rows {
  const rows = emailRows(team)
  const tests = [sql`e.id = any (array(${ids}))`, ...timesOf(filter, rows.id), ...testsOf(team, filter)]
  return { ...rows, where: sql`${rows.where} and ${join(tests, ' and ')}` }
}

/** Selects the ids of what the rarest filter fits, unless that is too much. */
async function findRarest(trx: Queryable, team: string, filter: Filter): Promise<Sql | null> {
  const ways = waysOf(team, filter)
  const counts = ways.map(
    (way, index) => sql`(select count(*)::int from (
      select from (${way}) found limit ${raw(String(MAX_CANDIDATES + 1))}) counted) as ${raw(`"${index}"`)}`,
  )
  const [row] = await trx.query<Record<string, number>>(sql`select ${join(counts, ', ')}`)
  const sizes = ways.map((_, index) => row![String(index)]!)
  const least = Math.min(...sizes)
  return least > MAX_CANDIDATES ? null : ways[sizes.indexOf(least)]!
}

/** For each filter that an index leads to: all ids that fit it, an id perhaps several times. */
function waysOf(team: string, filter: Filter): Sql[] {
  const { status, to, tag } = filter
  const within = (id: Sql) => join([sql`true`, ...timesOf(filter, id)], ' and ')
  const ways: Sql[] = []
  if (status !== undefined && isListed(status))
    ways.push(sql`
      select s.email_id as id from emails_by_status s
      where s.team_id = ${team} and s.status = ${status} and ${within(sql`s.email_id`)}`)
  if (status === 'sent') ways.push(idsOfWaiting(team))
  if (to !== undefined && isWholeAddress(to))
    ways.push(sql`
      select d.email_id as id from deliveries d
      where d.team_id = ${team} and lower(d.recipient) = ${to.toLowerCase()} and ${within(sql`d.email_id`)}`)
  if (tag !== undefined)
    ways.push(
      sql`select e.id from emails e where e.team_id = ${team} and ${hasTag(team, tag)} and ${within(sql`e.id`)}`,
    )
  return ways
}

/** The emails of a page are looked up, and no others: who has the status, the tags and the id is in the list of the status. */
function allThatFit(team: string, filter: Filter): Rows {
  const { status, to, tag } = filter
  if (status === undefined || !isListed(status)) return filteredEmails(team, filter)
  const conditions = [
    sql`s.team_id = ${team} and s.status = ${status}`,
    ...timesOf(filter, sql`s.email_id`),
    ...(tag === undefined ? [] : [sql`s.tags @> ${JSON.stringify([readTag(tag)])}::jsonb`]),
    ...(to === undefined ? [] : [hasRecipient(to, sql`s.email_id`, sql`s.team_id`)]),
  ]
  return {
    ...emailRows(team),
    from: sql`emails_by_status s`,
    where: join(conditions, ' and '),
    id: sql`s.email_id`,
    joined: { of: sql`s`, with: sql`join emails e on e.team_id = s.team_id and e.id = s.email_id` },
  }
}
