import type { Static } from 'typebox'
import type { Database, Queryable } from '../../kernel/db/database.ts'
import type { JsonRows } from '../../kernel/db/json-rows.ts'
import { join, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { readAddress } from '../../kernel/http/address-filter.ts'
import { type IdRange, within } from '../../kernel/http/id-ranges.ts'
import { FoundItems, pageStatement } from '../../kernel/http/list.ts'
import type { Window } from '../../kernel/http/page.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { isOfStatus, readCriteria } from '../../kernel/search/criteria.ts'
import { type Besides, lookUp } from '../../kernel/search/find.ts'
import { among, findPage } from '../../kernel/search/list.ts'
import { readTag } from './delivery/queue/queue-filter.ts'
import {
  type Filter,
  filteredEmails,
  hasRecipient,
  hasTag,
  idsOfWaiting,
  isListed,
  rangeOf,
  timesOf,
} from './filter.ts'
import { IS_OWN, ownEmailRows } from './queries.ts'
import type { EmailFilter } from './schema.ts'
import { emailSearch, isIndexed, onlyStatus } from './search.ts'

/** Of the list, or of a status, the newest first: what is frequent is met there. Recipients are in another table, and cost more to ask for. */
const FIRST_PIECE = { withRecipient: 500, without: 1_000 }
/** A filter that fits no more emails than this leads to the page, and the others are asked of what it fits. */
const MAX_CANDIDATES = 1_000

/** Emails of a team that fit. What a search says about status and time alone are filters, too. */
export async function findEmails(
  db: Database,
  team: string,
  { q, to, ...others }: Static<typeof EmailFilter>,
  window: Window,
): Promise<Rows | FoundItems> {
  const { whole, part } = readAddress(to)
  const filter: Filter = { ...others, ...(whole !== undefined && { to: whole }) }
  const criteria = readCriteria({ team, kind: 'email' }, emailSearch.rules, { q, to: part })
  if (!criteria) return findFiltered(db, team, filter, window)
  const only = filter.status === undefined ? onlyStatus(criteria) : null
  const narrowed = { ...filter, ...(only && { status: only }), range: criteria.range }
  const statuses = only === null ? criteria.statuses : []
  if (criteria.terms.length === 0 && statuses.length === 0) return findFiltered(db, team, narrowed, window)
  const { status, ...rest } = narrowed
  const tests = [...testsOf(team, rest), ...statuses.map(hasStatus)]
  const ids = await findPage(db, team, {
    ...emailSearch,
    criteria: { ...criteria, statuses: [], range: rangeOf(team, narrowed) },
    window,
    besides: askedOfEmails(team, tests, status),
    noted: status !== undefined && isIndexed(status) ? [isOfStatus({ team, kind: 'email' }, status)] : [],
    ways: waysOf(team, narrowed),
  })
  return among(ownEmailRows(team), ids)
}

/** Of own emails alone. A status that has a list is asked of the list: to look up each email that has a word took ten times as long. */
export function askedOfEmails(team: string, tests: readonly Sql[], status?: Filter['status']): Besides {
  const email = (range: IdRange) =>
    lookUp(sql`e`, sql`emails e where e.team_id = ${team} and e.id = d.id ${within(sql`e.id`, range)}`)
  if (status === undefined || !isListed(status))
    return {
      within: email,
      where: join([IS_OWN, ...testsOf(team, { ...(status !== undefined && { status }) }), ...tests], ' and '),
    }
  const listed = (range: IdRange) =>
    sql`join emails_by_status s on s.team_id = ${team} and s.status = ${status} and s.email_id = d.id ${within(sql`s.email_id`, range)}`
  if (tests.length === 0) return { within: listed, where: sql`true` }
  return { within: (range) => sql`${listed(range)} ${email(range)}`, where: join([IS_OWN, ...tests], ' and ') }
}

const hasStatus = ({ value, isExcluded }: { value: string; isExcluded: boolean }): Sql =>
  isExcluded ? sql`e.last_event <> ${value}` : sql`e.last_event = ${value}`

async function findFiltered(db: Database, team: string, filter: Filter, window: Window): Promise<Rows | FoundItems> {
  const { status, to, tag } = filter
  // Of tags there are no statistics by team.
  const isCombined = tag !== undefined || (status !== undefined && to !== undefined)
  return isCombined ? findCombined(db, team, filter, window) : filteredEmails(team, filter)
}

/**
 * Status, recipient and tag together, or a tag. The statistics say how frequent each is and nothing of both, so PostgreSQL expects to meet
 * a page of two frequent ones soon, and where they exclude each other it asked every email with the status, twice. So it is done in steps,
 * each in an order that PostgreSQL has no choice about: the newest of the status or of the list; then what one filter fits, if that is
 * little; and only then all of the status, which has tags and recipients beside it, or of the list. Of 450,000 emails, 6,000 of them bounced:
 *
 * | filters that exclude each other | buffers before | now |
 * |---|---|---|
 * | status and a frequent tag | 24,045 | 1,601 |
 * | status and a frequent recipient | 48,045 | 1,195 |
 *
 * A frequent tag and a frequent recipient that exclude each other are still looked for in all emails with the tag.
 */
async function findCombined(db: Database, team: string, filter: Filter, window: Window): Promise<FoundItems> {
  return db.searching(async (trx) => {
    const read = (rows: Rows) => readItems(trx, rows, window)
    const first = await read(walk(team, filter, window))
    if (first.items.length > window.limit!) return first
    const few = await findFew(trx, team, filter)
    return read(few ? fittingAmong(team, filter, few) : wholeWalk(team, filter))
  })
}

async function readItems(trx: Queryable, rows: Rows, window: Window): Promise<FoundItems> {
  const [page] = await trx.query<JsonRows>(pageStatement(rows, window, window.limit!))
  return new FoundItems(page!.texts())
}

/** The first piece of the way that `wholeWalk` goes. */
function walk(team: string, filter: Filter, { cursor, direction }: Window): Rows {
  const isNewer = direction === 'newer'
  const size = filter.to === undefined ? FIRST_PIECE.without : FIRST_PIECE.withRecipient
  const piece = (table: Sql, id: Sql, ofTeam: Sql) => {
    const behind = cursor === null ? [] : [isNewer ? sql`${id} > ${cursor}` : sql`${id} < ${cursor}`]
    return sql`(
      select * from ${table} where ${join([ofTeam, ...timesOf(team, filter, id), ...behind], ' and ')}
      order by ${id} ${isNewer ? sql`asc` : sql`desc`} limit ${raw(String(size))})`
  }
  const { status } = filter
  if (status !== undefined && isListed(status)) {
    const ofStatus = sql`team_id = ${team} and status = ${status}`
    return alongStatus(team, filter, piece(sql`emails_by_status`, sql`email_id`, ofStatus))
  }
  const rows = ownEmailRows(team)
  return {
    ...rows,
    from: sql`${piece(sql`emails`, sql`id`, sql`team_id = ${team}`)} e`,
    where: join([rows.where, ...testsOf(team, filter)], ' and '),
  }
}

function wholeWalk(team: string, filter: Filter): Rows {
  const { status } = filter
  if (status === undefined || !isListed(status)) return filteredEmails(team, filter)
  return alongStatus(team, filter, sql`emails_by_status`)
}

/** Who has the id, the status and the tags is in the list of the status, own emails alone: those of a page are looked up, and no others. */
function alongStatus(team: string, filter: Filter, list: Sql): Rows {
  const { status, to, tag } = filter
  const conditions = [
    sql`s.team_id = ${team} and s.status = ${status}`,
    ...timesOf(team, filter, sql`s.email_id`),
    ...(tag === undefined ? [] : [sql`s.tags @> ${JSON.stringify([readTag(tag)])}::jsonb`]),
    ...(to === undefined
      ? []
      : [mayHaveRecipient(to), hasRecipient(to, { id: sql`s.email_id`, team: sql`s.team_id` })]),
  ]
  return {
    ...ownEmailRows(team),
    from: sql`${list} s`,
    where: join(conditions, ' and '),
    id: sql`s.email_id`,
    joined: { of: sql`s`, with: sql`join emails e on e.team_id = s.team_id and e.id = s.email_id` },
  }
}

/** What the list of a status says about recipients: the ledger is asked about those of which this does not rule it out. */
const mayHaveRecipient = (to: string): Sql =>
  sql`(s.recipients is null or s.recipients @> array[${to.toLowerCase()}::text])`

/** Of an email `e`. Who it went to is asked last, since that is in another table. */
function testsOf(team: string, { status, to, tag }: Filter): Sql[] {
  return [
    ...(status === undefined ? [] : [sql`e.last_event = ${status}`]),
    ...(tag === undefined ? [] : [hasTag(team, tag)]),
    ...(to === undefined ? [] : [hasRecipient(to)]),
  ]
}

/** The ids in an array: PostgreSQL looks each of them up. */
function fittingAmong(team: string, filter: Filter, ids: Sql): Rows {
  const rows = ownEmailRows(team)
  const tests = [sql`e.id = any (array(${ids}))`, ...timesOf(team, filter, rows.id), ...testsOf(team, filter)]
  return { ...rows, where: join([rows.where, ...tests], ' and ') }
}

/** Selects the ids of what one filter fits, if that is little. */
async function findFew(trx: Queryable, team: string, filter: Filter): Promise<Sql | null> {
  for (const way of waysOf(team, filter)) {
    const [row] = await trx.query<{ size: number }>(sql`
      select count(*)::int as size from (
        select from (${way}) found limit ${raw(String(MAX_CANDIDATES + 1))}) counted`)
    if (row!.size <= MAX_CANDIDATES) return way
  }
  return null
}

/** For each filter that an index leads to: all ids that fit it, an id perhaps several times. What is counted at the least cost comes first. */
function waysOf(team: string, filter: Filter): Sql[] {
  const { status, to, tag } = filter
  const inRange = (id: Sql) => join([sql`true`, ...timesOf(team, filter, id)], ' and ')
  const ways: Sql[] = []
  if (status !== undefined && isListed(status))
    ways.push(sql`
      select s.email_id as id from emails_by_status s
      where s.team_id = ${team} and s.status = ${status} and ${inRange(sql`s.email_id`)}`)
  if (status === 'sent') ways.push(idsOfWaiting(team))
  if (tag !== undefined)
    ways.push(
      sql`select e.id from emails e where e.team_id = ${team} and ${hasTag(team, tag)} and ${inRange(sql`e.id`)}`,
    )
  if (to !== undefined)
    ways.push(sql`
      select d.email_id as id from deliveries d
      where d.team_id = ${team} and lower(d.recipient) = ${to.toLowerCase()} and ${inRange(sql`d.email_id`)}`)
  return ways
}
