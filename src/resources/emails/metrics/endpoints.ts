import Type from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { oneOf } from '../../../http/shapes.ts'
import { DIMENSIONS, GRANULARITIES, METRICS, metricsOf } from './names.ts'
import { countEvents } from './queries.ts'
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
  },
  { title: 'Metrics' },
)

export const metricsEndpoint = endpoint({
  id: 'emails.metrics',
  route: 'GET /emails/metrics',
  summary: 'Retrieve what became of emails, in numbers',
  query: MetricsQuery,
  reply: Metrics,
  async run({ query, context: { db, team, clock } }) {
    const question = readQuestion(query, clock.now())
    const { metrics, dimensions, granularity, start, end } = question
    const [totals = {}] = await countEvents(db, team, question, [])
    const rows = dimensions.length > 0 ? await countEvents(db, team, question, dimensions) : null
    return {
      object: 'metrics' as const,
      start_date: start.toISOString(),
      end_date: end.toISOString(),
      metrics: [...metrics],
      dimensions: [...dimensions],
      granularity,
      totals: metricsOf(totals, metrics),
      ...(rows && { data: rows.map((row) => ({ ...labelsOf(row), ...metricsOf(row, metrics) })) }),
    }
  },
})

const LABELS = ['period', 'domain_id', 'domain_name', 'email_id', 'broadcast_id', 'broadcast_name']

const labelsOf = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => LABELS.includes(name)))
