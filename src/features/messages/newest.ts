import type { Database, Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { emailsOf, HAS_LEFT } from '../emails/reads.ts'
import { receivedOf } from '../inbound/reads.ts'
import { fitting, SearchDeadline } from './finding.ts'
import type { Head, Matcher, MessageFilter } from './match.ts'
import { MAX_PIECE_SIZE, pieceOf, readPiece } from './queries.ts'

// For those who count messages and page through them by numbers: they see the newest ones, so that a count is no walk through millions.

/** So many messages of a team are counted. */
export const MAX_COUNTED = 10_000
const PIECE = MAX_PIECE_SIZE

/** The ids of the newest messages, the newest first. */
const newestIds = (team: string, most: number): Sql => sql`
  select m.id from (
    (select e.id from ${emailsOf(team)} and ${HAS_LEFT} order by e.id desc limit ${most})
    union all
    (select e.id from ${receivedOf(team)} order by e.id desc limit ${most})) m
  order by m.id desc limit ${most}`

export interface Counts {
  readonly total: number
  readonly unread: number
}

export async function countNewest(db: Queryable, team: string): Promise<Counts> {
  const [counts] = await db.query<Counts>(sql`
    select count(*)::int as total, count(*) filter (where k.is_read is not true)::int as unread
    from (${newestIds(team, MAX_COUNTED)}) m left join message_marks k on k.team_id = ${team} and k.message_id = m.id`)
  return counts!
}

/** So many messages from the newest on, without the first ones. */
export async function readNewest(db: Queryable, team: string, { start, limit }: Page): Promise<Head[]> {
  if (start >= MAX_COUNTED || limit === 0) return []
  const [before] = start === 0 ? [] : await db.query<{ id: string }>(sql`${newestIds(team, start)} offset ${start - 1}`)
  if (start > 0 && !before) return []
  const size = Math.min(limit, MAX_COUNTED - start)
  const { heads } = await readPiece(db, team, {}, { cursor: before?.id ?? null, isOlder: true, size: pieceOf(size) })
  return heads.slice(0, size)
}

export interface Page {
  readonly start: number
  readonly limit: number
}

export interface Surveyed {
  readonly heads: Head[]
  readonly count: number
  readonly unread: number
}

/** Which of the newest messages fit, how many they are, and the ones that a page shows. */
export async function survey(
  db: Database,
  team: string,
  { filter, matcher }: { filter: MessageFilter; matcher: Matcher },
  { start, limit }: Page,
): Promise<Surveyed> {
  const deadline = new SearchDeadline()
  const heads: Head[] = []
  let [count, unread, looked] = [0, 0, 0]
  for (let cursor: string | null = null; looked < MAX_COUNTED; looked += PIECE) {
    const piece = await readPiece(db, team, filter, { cursor, isOlder: true, size: PIECE })
    if (piece.last === null) break
    for (const head of await fitting(db, team, { matcher, heads: piece.heads, amount: PIECE, deadline })) {
      if (count >= start && heads.length < limit) heads.push(head)
      count += 1
      if (!head.is_read) unread += 1
    }
    cursor = piece.last
    deadline.check()
  }
  return { heads, count, unread }
}

/** The ids of all of the newest messages that fit; of all of them without a search. */
export async function findNewestIds(
  db: Database,
  team: string,
  search: { filter: MessageFilter; matcher: Matcher } | null,
): Promise<string[]> {
  if (search) return (await survey(db, team, search, { start: 0, limit: MAX_COUNTED })).heads.map(({ id }) => id)
  return (await db.query<{ id: string }>(newestIds(team, MAX_COUNTED))).map(({ id }) => id)
}
