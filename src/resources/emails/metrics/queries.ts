import type { Database, Queryable } from '../../../platform/db/database.ts'
import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts'
import { NONE } from './fold.ts'
import { COUNTS, type Count, type Dimension, GRANULARITIES } from './names.ts'
import type { Question } from './question.ts'

const QUARTER_MS = 900_000

export type MetricsRow = Partial<Record<Count, number>> & Record<string, unknown>

/** What has been counted of a team's mail in the range, for each combination of the dimensions. */
export function readCounts(db: Database, team: string, question: Question, limit: number): Promise<MetricsRow[]> {
  const dimensions = question.dimensions.map((dimension) => DIMENSION_PARTS[dimension](question))
  const groups = dimensions.map(({ name, value }) => sql`${value} as ${raw(name)}`)
  const places = join(
    dimensions.map(({ name }) => raw(name)),
    ', ',
  )
  const labels = dimensions.flatMap(({ labels }) =>
    Object.entries(labels).map(([name, value]) => sql`${value} as ${raw(name)}`),
  )
  return db.querySlowly<MetricsRow>(sql`
    with counted as (
      select ${join([...groups, sums((name) => `sum(${name})::float8 as ${name}`, ', ')], ', ')}
      from (${source(team, question)}) happened
      where ${filtered('domain_id', question.domains)} and ${filtered('email_id', question.emails)}
        and ${filtered('broadcast_id', question.broadcasts)}
      ${dimensions.length > 0 ? sql`group by ${places} having ${sums((name) => `sum(${name}) <> 0`, ' or ')}` : sql``})
    select ${join([...labels, sums((name) => name, ', ')], ', ')}
    from counted
    ${question.dimensions.includes('domain') ? sql`left join domains d on d.team_id = ${team} and d.id = domain` : sql``}
    ${question.dimensions.includes('broadcast') ? broadcastNames(team) : sql``}
    ${dimensions.length > 0 ? sql`order by ${places} limit ${limit}` : sql``}`)
}

/** Only the name: a broadcast has counts of its own, under the same words. */
const broadcastNames = (team: string): Sql => sql`
    left join (select id, name as broadcast_name from broadcasts where team_id = ${team}) named on named.id = broadcast`

/**
 * The counters of the whole quarters of an hour in the range, and the facts of what is left at both ends. Counters do not know
 * single emails: whoever asks for them gets facts only.
 */
function source(team: string, { start, end, emails, dimensions }: Question): Sql {
  const firstWhole = new Date(Math.ceil(start.getTime() / QUARTER_MS) * QUARTER_MS)
  const wholeEnd = new Date(Math.floor(end.getTime() / QUARTER_MS) * QUARTER_MS)
  const isAboutEmails = emails.length > 0 || dimensions.includes('email')
  if (isAboutEmails || firstWhole >= wholeEnd)
    return factsWhere(team, sql`at between ${start} and ${end} and ${filtered('email_id', emails)}`)
  return sql`
    select quarter as at, null::uuid as email_id, domain_id, broadcast_id, ${sums((name) => name, ', ')}
    from metric_counts where team_id = ${team} and quarter >= ${firstWhole} and quarter < ${wholeEnd}
    union all ${factsWhere(team, sql`at >= ${start} and at < ${firstWhole}`)}
    union all ${factsWhere(team, sql`at >= ${wholeEnd} and at <= ${end}`)}`
}

const factsWhere = (team: string, condition: Sql): Sql => sql`
  select at, email_id, coalesce(domain_id, ${NONE}) as domain_id, coalesce(broadcast_id, ${NONE}) as broadcast_id,
    ${sums((name) => `(metric = '${name}')::int as ${name}`, ', ')}
  from metric_facts where team_id = ${team} and ${condition}`

/** How a dimension is grouped by, and what an answer shows of it. */
interface DimensionParts {
  readonly name: string
  readonly value: Sql
  readonly labels: Readonly<Record<string, Sql>>
}

const DIMENSION_PARTS: Record<Dimension, (question: Question) => DimensionParts> = {
  period: ({ granularity, timezone }) => ({
    name: 'period',
    value: sql`date_trunc(${GRANULARITIES[granularity].unit}, at, ${timezone})`,
    labels: { period: sql`iso_time(period)` },
  }),
  domain: () => ({
    name: 'domain',
    value: sql`nullif(domain_id, ${NONE})`,
    labels: { domain_id: sql`domain`, domain_name: sql`d.name` },
  }),
  email: () => ({ name: 'email_id', value: sql`email_id`, labels: { email_id: sql`email_id` } }),
  broadcast: () => ({
    name: 'broadcast',
    value: sql`nullif(broadcast_id, ${NONE})`,
    labels: { broadcast_id: sql`broadcast`, broadcast_name: sql`broadcast_name` },
  }),
}

/** The names under which a row shows what it is about. */
export const labelsOf = (question: Question): string[] =>
  question.dimensions.flatMap((dimension) => Object.keys(DIMENSION_PARTS[dimension](question).labels))

const filtered = (column: string, ids: readonly string[]) =>
  ids.length === 0 ? sql`true` : sql`${raw(column)} = any (${ids}::uuid[])`

const sums = (of: (name: Count) => string, separator: string) =>
  join(
    COUNTS.map((name) => raw(of(name))),
    separator,
  )

/** When the oldest event happened that is not counted yet. */
export async function oldestUncounted(db: Queryable, team: string): Promise<Date | null> {
  const [row] = await db.query<{ at: Date }>(sql`
    select o.created_at as at from uncounted_events u join outbox o on o.team_id = u.team_id and o.id = u.event_id
    where u.team_id = ${team} order by u.event_id limit 1`)
  return row?.at ?? null
}
