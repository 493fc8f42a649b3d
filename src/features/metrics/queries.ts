import type { Database } from '../../kernel/db/database.ts'
import { join, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { broadcastNames } from '../broadcasts/reads.ts'
import { DOMAIN_NAMES } from '../domains/reads.ts'
import { NONE } from './fold.ts'
import { COUNTS, type Count, type Dimension, GRANULARITIES, type Metric, RATES, type Rate } from './names.ts'
import type { Question } from './question.ts'
import { countedIn } from './source.ts'

export interface Counted {
  /** Of all rows together. */
  readonly totals: Readonly<Record<Count, number | null>>
  readonly rows: number
  /** The rows as JSON, with commas between them. */
  readonly data: string
}

/**
 * What has been counted of a team's mail in the range, for each combination of the dimensions. PostgreSQL writes the JSON, as it does
 * for lists: fifty thousand rows of two dozen numbers would keep us from answering anybody else for a second. A row of mail without a
 * domain or a broadcast does not name one: to the SDK's types it is a text or absent, and numbers are never null.
 */
export async function readCounts(db: Database, team: string, question: Question, limit: number): Promise<Counted> {
  const dimensions = question.dimensions.map((dimension) => DIMENSION_PARTS[dimension](question))
  const groups = dimensions.map(({ name, value }) => sql`${value} as ${raw(name)}`)
  const groupColumns = join(
    dimensions.map(({ name }) => raw(name)),
    ', ',
  )
  const labels = dimensions.flatMap(({ labels }) =>
    Object.entries(labels).map(([name, value]) => sql`${value} as ${raw(name)}`),
  )
  const isGrouped = dimensions.length > 0
  const [counted] = await db.queryPlannedOnce<Counted['totals'] & { found: number; rows: string | null }>(sql`
    with counted as materialized (
      select ${join([...groups, sums((name) => `sum(${name})::float8 as ${name}`, ', ')], ', ')}
      from (${await countedIn(db, team, question)}) happened
      where ${filtered('domain_id', question.domains)} and ${filtered('email_id', question.emails)}
        and ${filtered('broadcast_id', question.broadcasts)} ${question.isOfBroadcasts ? sql`and broadcast_id <> ${NONE}` : sql``}
      ${isGrouped ? sql`group by ${groupColumns} having ${sums((name) => `sum(${name}) <> 0`, ' or ')}` : sql``}),
    shown as materialized (
      select ${join([...labels, ...question.metrics.map(metricColumn)], ', ')}
      from counted
      ${question.dimensions.includes('domain') ? sql`left join ${DOMAIN_NAMES} d on d.team_id = ${team} and d.id = domain` : sql``}
      ${question.dimensions.includes('broadcast') ? sql`left join ${broadcastNames(team)} named on named.id = broadcast` : sql``}
      ${isGrouped ? sql`order by ${groupColumns} limit ${limit}` : sql``})
    select (select count(*)::int from shown) as found, (select string_agg(json_strip_nulls(row_to_json(shown))::text, ',') from shown) as rows,
      ${sums((name) => `(select sum(${name}) from counted) as ${name}`, ', ')}`)
  const { found, rows, ...totals } = counted!
  return { totals, rows: found, data: rows ?? '' }
}

function metricColumn(metric: Metric): Sql {
  if (!(metric in RATES)) return raw(`coalesce(counted.${metric}, 0) as ${metric}`)
  const [part, whole] = RATES[metric as Rate].map((name) => `counted.${name}`)
  return raw(`case when ${whole} <> 0 then floor(${part} / ${whole} * 10000 + 0.5) / 100 else 0 end as ${metric}`)
}

/** How a dimension is grouped by, and what an answer shows of it. */
interface DimensionParts {
  readonly name: string
  readonly value: Sql
  readonly labels: Readonly<Record<string, Sql>>
}

const DIMENSION_PARTS: Record<Dimension, (question: Question) => DimensionParts> = {
  period: (question) => ({ name: 'period', value: periodOf(question), labels: { period: sql`iso_time(period)` } }),
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

/** A Monday. */
const FIRST_WEEK = sql`'2001-01-01T00:00Z'::timestamptz`

/** To look up a time zone by its name for each row takes half of the time of a long range; in UTC hours, days and weeks are all of one length. */
function periodOf({ granularity, timezone }: Question): Sql {
  const { unit } = GRANULARITIES[granularity]
  if (timezone !== 'UTC' || unit === 'month') return sql`date_trunc(${unit}, at, ${timezone})`
  return sql`date_bin(${`1 ${unit}`}::interval, at, ${FIRST_WEEK})`
}

const filtered = (column: string, ids: readonly string[]) =>
  ids.length === 0 ? sql`true` : sql`${raw(column)} = any (${ids}::uuid[])`

const sums = (of: (name: Count) => string, separator: string) =>
  join(
    COUNTS.map((name) => raw(of(name))),
    separator,
  )
