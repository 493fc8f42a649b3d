import type { Static } from 'typebox'
import type { Queryable } from '../../../kernel/db/database.ts'
import { join, type Sql, sql } from '../../../kernel/db/sql.ts'
import { readMoment } from '../../../kernel/http/moment.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { attachmentMark, quoted, ROLES, type Role } from '../filing/search-marks.ts'
import { ALL_BUT_JUNK, readThreadFilter } from '../threads/filter.ts'
import type { InboxRef } from '../threads/queries.ts'
import type { ThreadSearch } from '../threads/schema.ts'
import type { Search } from './finding.ts'
import { hasPerson, readPeople } from './people.ts'
import { conditionsOf, readTerms, type Term } from './query.ts'
import { FIRST_ID, LAST_ID } from './slices.ts'

type Filter = Static<typeof ThreadSearch>

export interface Criteria {
  /** Null: nothing can be found. */
  readonly search: Search | null
  /** What is shown as found. */
  readonly wanted: readonly Term[]
}

/** What somebody asks for, checked. */
export async function readCriteria(db: Queryable, ref: InboxRef, filter: Filter): Promise<Criteria> {
  const dates = readDates(ref.team, filter)
  const parts = readParts(filter)
  const choice = await readThreadFilter(db, ref, filter, ALL_BUT_JUNK)
  const terms = readTerms(filter.query ?? '')
  const people = await Promise.all(parts.map(([role, of]) => readPeople(db, ref, role, of)))
  const wanted = terms.wanted
  if (people.some(({ kind }) => kind === 'nobody')) return { search: null, wanted }
  const patterns = people.flatMap((one) => (one.kind === 'pattern' ? [one.pattern] : []))
  const conditions = [
    ...conditionsOf(ref.inbox, terms),
    ...people.flatMap((one) => (one.kind === 'marks' ? [one.condition] : [])),
    ...attachmentCondition(ref.inbox, filter.has_attachment),
  ]
  const besides = (name: Sql) => join([dates.besides(name), ...patterns.map((one) => hasPerson(name, one))], ' ')
  return { search: { ...ref, choice, conditions, besides, range: dates.range }, wanted }
}

const attachmentCondition = (inbox: string, wanted: Filter['has_attachment']): string[] =>
  wanted === undefined ? [] : [`${wanted === 'true' ? '' : '!'}${quoted(attachmentMark(inbox))}`]

const MAX_PARTS = 20

/** `from=anna,@acme.test` of a query: parts of addresses or names, one of which somebody has. */
function readParts(filter: Filter): [Role, string[]][] {
  return (Object.keys(ROLES) as Role[]).flatMap((role): [Role, string[]][] => {
    const parts = (filter[role] ?? '').split(',').filter((part) => part.trim() !== '')
    if (parts.length > MAX_PARTS)
      throw new Problem('invalid_parameter', `The \`${role}\` can have at most ${MAX_PARTS} parts of addresses.`)
    return parts.length === 0 ? [] : [[role, parts]]
  })
}

const DAY_MS = 86_400_000
/** Mail that was scheduled is of the time when it left, and its id of the time when it was written: at most so long before. */
const MAX_SCHEDULE_AHEAD_MS = 31 * DAY_MS

/** From and to when. The ids have the time in them, so that nothing else is looked at. */
function readDates(team: string, { start_date, end_date }: Filter) {
  const since = start_date === undefined ? null : readDate('start_date', start_date).begin
  const until = end_date === undefined ? null : readDate('end_date', end_date).end
  if (since !== null && until !== null && since >= until)
    throw new Problem('invalid_parameter', 'The `start_date` must not be after `end_date`.')
  return {
    range: {
      from: since === null ? FIRST_ID : firstIdAt(new Date(since.getTime() - MAX_SCHEDULE_AHEAD_MS), team),
      to: until === null ? LAST_ID : firstIdAt(until, team),
    },
    besides: (name: Sql): Sql => sql`
      ${since === null ? sql`` : sql`and ${name}.created_at >= ${since}`}
      ${until === null ? sql`` : sql`and ${name}.created_at < ${until}`}`,
  }
}

/** A day, which counts as a whole, or a moment; in UTC unless it says otherwise. */
function readDate(name: string, text: string): { begin: Date; end: Date } {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const hasZone = isDay || /(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(text)
  const begin = readMoment(name, hasZone ? text : `${text}Z`)
  // The 30th of February would be a day of March.
  if (isDay && !begin.toISOString().startsWith(text))
    throw new Problem('invalid_parameter', `The \`${name}\` must be a date in ISO 8601.`)
  return { begin, end: new Date(begin.getTime() + (isDay ? DAY_MS : 1)) }
}
