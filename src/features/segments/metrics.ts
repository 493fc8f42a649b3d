import Type, { type Static } from 'typebox'
import { readBounded } from '../../kernel/db/bounded-read.ts'
import type { Database } from '../../kernel/db/database.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { OneOrMore, orAll, readChoice, readIds, readList } from '../../kernel/http/list-parameters.ts'
import { Id, oneOf } from '../../kernel/http/shapes.ts'
import { CONTACTS, MEMBERSHIPS } from '../contacts/reads.ts'
import { endpoint } from '../definitions.ts'

/** What is counted, and which contacts `c` are. */
const METRICS = { all_contacts: 'true', subscribers: 'not c.unsubscribed', unsubscribers: 'c.unsubscribed' } as const
type Metric = keyof typeof METRICS
const NAMES = Object.keys(METRICS) as Metric[]
const DIMENSIONS = ['segment'] as const
const SORTS = ['date', 'metric'] as const
const ORDERS = ['asc', 'desc'] as const

/** More segments than anybody looks at. */
const MAX_ROWS = 10_000
/** A few million members. */
const READ_MS = 10_000

const Numbers = Type.Partial(
  Type.Object({ all_contacts: Type.Integer(), subscribers: Type.Integer(), unsubscribers: Type.Integer() }),
)

const SegmentsMetrics = Type.Object(
  {
    object: Type.Literal('segments_metrics'),
    metrics: Type.Array(oneOf(NAMES)),
    dimensions: Type.Array(oneOf(DIMENSIONS)),
    sort_by: oneOf(SORTS),
    sort_order: oneOf(ORDERS),
    totals: Numbers,
    data: Type.Optional(
      Type.Array(Type.Object({ segment_id: Id, segment_name: Type.String(), ...Numbers.properties })),
    ),
  },
  { title: 'SegmentsMetrics' },
)

type Counts = Static<typeof Numbers>

export const segmentsMetrics = endpoint({
  id: 'segments.metrics',
  route: 'GET /segments/metrics',
  summary: 'Retrieve metrics of segments',
  description:
    'Counts the contacts of segments: of all of them, or of those in `segment_id`. In `totals` a contact of several segments counts once, and one of no segment does not count: `all_contacts` is all contacts of these segments, not of the team.',
  query: Type.Object({
    metrics: OneOrMore,
    dimensions: OneOrMore,
    segment_id: OneOrMore,
    sort_by: Type.Optional(Type.String({ description: '`date` of creation, or the first of the `metrics`.' })),
    sort_order: Type.Optional(Type.String()),
  }),
  reply: SegmentsMetrics,
  async run({ query, services: { db }, actor: { team } }) {
    const metrics = orAll(readList('metrics', NAMES, query.metrics), NAMES)
    const dimensions = readList('dimensions', DIMENSIONS, query.dimensions)
    const segments = readIds('segment_id', query.segment_id)
    const sort_by = readChoice('sort_by', SORTS, query.sort_by ?? 'date')
    const sort_order = readChoice('sort_order', ORDERS, query.sort_order ?? 'desc')
    const answer = {
      object: 'segments_metrics' as const,
      ...{ metrics: [...metrics], dimensions: [...dimensions], sort_by, sort_order },
      totals: await countAll(db, team, { metrics, segments }),
    }
    if (dimensions.length === 0) return answer
    return { ...answer, data: await countEach(db, team, { metrics, segments, sort_by, sort_order }) }
  },
})

interface Question {
  readonly metrics: readonly Metric[]
  /** None: all of the team. */
  readonly segments: readonly string[]
}

const wanted = (team: string, { segments }: Question) => sql`
  select s.id, s.name from segments s where s.team_id = ${team}
    ${segments.length === 0 ? sql`` : sql`and s.id = any (${segments}::uuid[])`}`

const counts = (metrics: readonly Metric[]) =>
  raw(metrics.map((name) => `count(*) filter (where ${METRICS[name]})::int as ${name}`).join(', '))

async function countAll(db: Database, team: string, question: Question): Promise<Counts> {
  const [totals] = await readBounded<Counts>(
    db,
    sql`
    with wanted as materialized (${wanted(team, question)})
    select ${counts(question.metrics)}
    from (select distinct m.contact_id from wanted join ${MEMBERSHIPS} m on m.team_id = ${team} and m.segment_id = wanted.id) member
    join ${CONTACTS} c on c.team_id = ${team} and c.id = member.contact_id`,
    READ_MS,
  )
  return totals!
}

function countEach(
  db: Database,
  team: string,
  question: Question & { readonly sort_by: (typeof SORTS)[number]; readonly sort_order: (typeof ORDERS)[number] },
) {
  const { metrics, sort_by, sort_order } = question
  const order = raw(`${sort_by === 'date' ? 'wanted.id' : metrics[0]} ${sort_order}, wanted.id ${sort_order}`)
  return readBounded<Counts & { segment_id: string; segment_name: string }>(
    db,
    sql`
    with wanted as materialized (${wanted(team, question)})
    select wanted.id as segment_id, wanted.name as segment_name, counted.*
    from wanted cross join lateral (
      select ${counts(metrics)} from ${MEMBERSHIPS} m join ${CONTACTS} c on c.team_id = m.team_id and c.id = m.contact_id
      where m.team_id = ${team} and m.segment_id = wanted.id) counted
    order by ${order} limit ${MAX_ROWS}`,
    READ_MS,
  )
}
