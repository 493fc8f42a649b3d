import type { Database } from '../../kernel/db/database.ts'
import { join, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { NONE } from './fold.ts'
import { COUNTS, type Count, GRANULARITIES } from './names.ts'
import type { Question } from './question.ts'
import { sumsAreWhole } from './reads.ts'
import { ceilTo, floorTo, type Piece, piecesOf, SPAN_MS, type Span } from './spans.ts'

const DAY_MS = SPAN_MS.day

/** How far two moments may be apart so that each period of a length has one of them: days of 23 hours, too. */
const STEP_MS = { hour: DAY_MS / 2, day: DAY_MS / 2, week: 3 * DAY_MS, month: 14 * DAY_MS } as const

/**
 * What has been counted in the range of a question: the counters of its whole quarters of an hour, and the facts of what is left at both ends.
 * The quarter that we are in is whole up to now: its facts would be ten thousand in a busy minute. Hours and days of UTC are read as one
 * where no period begins in them. Counters do not know single emails: whoever asks for them gets facts only.
 */
export async function countedIn(db: Database, team: string, question: Question): Promise<Sql> {
  const { start, end, isUntilNow, emails, dimensions } = question
  const from = ceilTo('quarter', start.getTime())
  // The range has its last millisecond.
  const to = isUntilNow ? ceilTo('quarter', end.getTime()) : floorTo('quarter', end.getTime() + 1)
  const isAboutEmails = emails.length > 0 || dimensions.includes('email')
  if (isAboutEmails || from >= to) {
    const isWanted = emails.length === 0 ? sql`` : sql`and email_id = any (${emails}::uuid[])`
    return factsWhere(team, sql`at between ${start} and ${end} ${isWanted}`)
  }
  const { longest, cuts } = await findCuts(db, question, { from, to })
  // Nothing is later than now, so the day that goes on is as good as whole.
  const pieces = piecesOf({ from, to: isUntilNow ? ceilTo(longest, to) : to, longest, cuts })
  const [firstWhole, wholeEnd] = [new Date(from), new Date(to)]
  const parts = [
    ...countersOf(team, pieces, { from: firstWhole, to: wholeEnd }),
    ...(start < firstWhole ? [factsWhere(team, sql`at >= ${start} and at < ${firstWhole}`)] : []),
    ...(wholeEnd <= end ? [factsWhere(team, sql`at >= ${wholeEnd} and at <= ${end}`)] : []),
  ]
  return join(parts, ' union all ')
}

/**
 * The longest spans that have no period's beginning inside, but for a few, and the beginnings. In UTC periods begin with hours and days of the
 * counters. PostgreSQL says when they begin elsewhere, since it also says which period a row is of.
 */
async function findCuts(
  db: Database,
  { dimensions, granularity, timezone }: Question,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<{ longest: Span; cuts: number[] }> {
  const { unit } = GRANULARITIES[granularity]
  const longest = unit === 'hour' && dimensions.includes('period') ? 'hour' : 'day'
  if (!dimensions.includes('period') || timezone === 'UTC') return { longest, cuts: [] }
  const step = STEP_MS[unit]
  const samples = Array.from({ length: Math.ceil((to - from) / step) + 1 }, (_, index) => from + index * step)
  const begun = await db.query<{ begin: Date }>(sql`
    select distinct date_trunc(${unit}, at, ${timezone}) as begin from unnest(${samples.map(iso)}::timestamptz[]) at`)
  const cuts = begun.map(({ begin }) => begin.getTime()).filter((begin) => begin % SPAN_MS[longest] !== 0)
  // Every hour of a zone that is half an hour off begins inside of one of UTC.
  return unit === 'hour' && cuts.length > 0 ? { longest: 'quarter', cuts: [] } : { longest, cuts }
}

/** The counters of these pieces; of a team whose sums are not whole yet, those of all quarters of the range. */
function countersOf(team: string, pieces: readonly Piece[], { from, to }: { readonly from: Date; readonly to: Date }) {
  const quarters = pieces.filter(({ span }) => span === 'quarter')
  const sums = pieces.filter(({ span }) => span !== 'quarter')
  const ofQuarters = counters(
    quarters,
    sql`select *, quarter as at from metric_counts where team_id = ${team} and quarter >= piece."from" and quarter < piece."to"`,
  )
  if (sums.length === 0) return [ofQuarters]
  const ofSums = counters(
    sums,
    sql`select *, start as at from metric_sums
      where team_id = ${team} and span = piece.span::metric_span and start >= piece."from" and start < piece."to"`,
  )
  const isWhole = sumsAreWhole(team)
  return [
    sql`${ofSums} where ${isWhole}`,
    ...(quarters.length > 0 ? [sql`${ofQuarters} where ${isWhole}`] : []),
    sql`select quarter as at, ${COLUMNS} from metric_counts
      where team_id = ${team} and quarter >= ${from} and quarter < ${to} and not ${isWhole}`,
  ]
}

/** Piece by piece, whatever the statistics say: `offset 0`. */
function counters(pieces: readonly Piece[], rows: Sql): Sql {
  return sql`
    select at, ${COLUMNS}
    from unnest(${pieces.map(({ span }) => span)}::text[], ${pieces.map(({ from }) => iso(from))}::timestamptz[],
      ${pieces.map(({ to }) => iso(to))}::timestamptz[]) piece (span, "from", "to"),
      lateral (${rows} offset 0) counter`
}

const factsWhere = (team: string, condition: Sql): Sql => sql`
  select at, email_id, coalesce(domain_id, ${NONE}) as domain_id, coalesce(broadcast_id, ${NONE}) as broadcast_id,
    ${columnsOf((name) => `(metric = '${name}')::int as ${name}`)}
  from metric_facts where team_id = ${team} and ${condition}`

const columnsOf = (of: (name: Count) => string) =>
  join(
    COUNTS.map((name) => raw(of(name))),
    ', ',
  )

const COLUMNS = sql`null::uuid as email_id, domain_id, broadcast_id, ${columnsOf((name) => name)}`

const iso = (time: number) => new Date(time).toISOString()
