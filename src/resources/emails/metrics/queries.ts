import type { Database } from '../../../platform/db/database.ts'
import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts'
import { type Count, type Dimension, GRANULARITIES } from './names.ts'
import type { Question } from './question.ts'

const eventIs = (type: string): Sql => sql`count(distinct o.about) filter (where o.type = ${type})`
const bounceIs = (type: string): Sql =>
  sql`count(distinct o.about) filter (where o.type = 'email.bounced' and o.data #>> '{bounce,type}' = ${type})`

/** Opens, clicks, unsubscribes and received mail have no events yet and count as none. */
const COUNTED: Partial<Record<Count, Sql>> = {
  sent: eventIs('email.sent'),
  delivered: eventIs('email.delivered'),
  complained: eventIs('email.complained'),
  suppressed: eventIs('email.suppressed'),
  bounced: eventIs('email.bounced'),
  bounced_transient: bounceIs('Transient'),
  bounced_permanent: bounceIs('Permanent'),
  bounced_undetermined: bounceIs('Undetermined'),
  delivery_delayed: eventIs('email.delivery_delayed'),
  failed: eventIs('email.failed'),
}

type MetricsRow = Partial<Record<Count, number>> & Record<string, unknown>

/** The counts of a team's events in the range, for each combination of the dimensions. */
export function countEvents(
  db: Database,
  team: string,
  question: Question,
  dimensions: readonly Dimension[],
): Promise<MetricsRow[]> {
  const counts = Object.entries(COUNTED).map(([name, count]) => sql`${count}::float8 as ${quoted(name)}`)
  const grouped = dimensions.flatMap((dimension) => columnsOf(dimension, question))
  const labels = grouped.map(({ name, value }) => sql`${value} as ${quoted(name)}`)
  const places = grouped.map(({ name }) => quoted(name))
  return db.querySlowly<MetricsRow>(sql`
    select ${join([...labels, ...counts], ', ')}
    from outbox o
    left join emails e on e.team_id = o.team_id and e.id = o.about
    left join domains d on d.team_id = o.team_id and d.id = e.domain_id
    where o.team_id = ${team} and o.about is not null and o.created_at between ${question.start} and ${question.end}
      and ${filtered(sql`e.domain_id`, question.domains)} and ${filtered(sql`o.about`, question.emails)}
      and ${question.broadcasts.length === 0 ? sql`true` : sql`false`}
    ${places.length > 0 ? sql`group by ${join(places, ', ')} order by ${join(places, ', ')}` : sql``}`)
}

const filtered = (column: Sql, ids: readonly string[]) =>
  ids.length === 0 ? sql`true` : sql`${column} = any (${ids}::uuid[])`

const quoted = (name: string) => raw(`"${name}"`)

function columnsOf(dimension: Dimension, { granularity, timezone }: Question): { name: string; value: Sql }[] {
  switch (dimension) {
    case 'period':
      return [
        {
          name: 'period',
          value: sql`iso_time(date_trunc(${GRANULARITIES[granularity].unit}, o.created_at, ${timezone}))`,
        },
      ]
    case 'domain':
      return [
        { name: 'domain_id', value: sql`e.domain_id` },
        { name: 'domain_name', value: sql`d.name` },
      ]
    case 'email':
      return [{ name: 'email_id', value: sql`o.about` }]
    case 'broadcast':
      return [
        { name: 'broadcast_id', value: sql`null::uuid` },
        { name: 'broadcast_name', value: sql`null::text` },
      ]
    default:
      return dimension satisfies never
  }
}
