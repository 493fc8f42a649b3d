import Type from 'typebox'
import { JsonText } from '../../kernel/http/endpoint.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { oneOf } from '../../kernel/http/shapes.ts'
import { endpoint } from '../definitions.ts'
import { foldEvents, uncountedEvents } from './fold.ts'
import { DIMENSIONS, GRANULARITIES, METRICS, metricsOf } from './names.ts'
import { readCounts } from './queries.ts'
import { MetricsQuery, readQuestion } from './question.ts'

const Numbers = Type.Record(Type.String(), Type.Number())

const Metrics = Type.Object(
  {
    object: Type.Literal('metrics'),
    start_date: Type.String(),
    end_date: Type.String(),
    metrics: Type.Array(oneOf(METRICS)),
    dimensions: Type.Array(oneOf(DIMENSIONS)),
    granularity: oneOf(Object.keys(GRANULARITIES)),
    totals: Numbers,
    data: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
    counted_until: Type.Optional(
      Type.String({ description: 'Only while counting is behind: what happened later may be missing.' }),
    ),
  },
  { title: 'Metrics' },
)

/** Every email of a busy year would be millions: more than a client can want at once, or a process can hold. */
const MOST_ROWS = 50_000

/** What a question may take upon itself to count: half a second at most. More than that is left to the job. */
const MOST_UNCOUNTED = 10_000

export const metricsEndpoint = endpoint({
  id: 'emails.metrics',
  route: 'GET /emails/metrics',
  summary: 'Retrieve email metrics',
  description: 'What became of emails, in numbers.',
  query: MetricsQuery,
  reply: Metrics,
  async run({ query, services: { db, clock }, actor: { team } }) {
    const question = readQuestion(query, clock.of(team).now())
    const { metrics, dimensions, granularity, start, end } = question
    const isComplete = await foldEvents(db, team, MOST_UNCOUNTED)
    const { totals, rows, data } = await readCounts(db, team, question, MOST_ROWS + 1)
    if (rows > MOST_ROWS) throw tooManyRows()
    const countedUntil = isComplete ? null : await uncountedEvents.oldestAt(db, team)
    const answer = {
      object: 'metrics' as const,
      start_date: start.toISOString(),
      end_date: end.toISOString(),
      metrics: [...metrics],
      dimensions: [...dimensions],
      granularity,
      totals: metricsOf(totals, metrics),
    }
    const counted = countedUntil && { counted_until: countedUntil.toISOString() }
    if (dimensions.length === 0) return { ...answer, ...counted }
    const tail = counted ? `,${JSON.stringify(counted).slice(1)}` : '}'
    return new JsonText(`${JSON.stringify(answer).slice(0, -1)},"data":[${data}]${tail}`)
  },
})

const tooManyRows = () =>
  new Problem(
    'validation_error',
    `Invalid \`dimensions\`. The answer would have more than ${MOST_ROWS.toLocaleString('en')} rows: ask for a shorter range, longer periods or single ids.`,
  )
