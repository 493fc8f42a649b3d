import Type from 'typebox'
import type { Database } from '../../kernel/db/database.ts'
import { JsonText } from '../../kernel/http/endpoint.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { oneOf } from '../../kernel/http/shapes.ts'
import { firstMadeAt } from '../broadcasts/reads.ts'
import { endpoint } from '../definitions.ts'
import { foldEvents, uncountedEvents } from './fold.ts'
import { DIMENSIONS, GRANULARITIES, METRICS, metricsOf } from './names.ts'
import { readCounts } from './queries.ts'
import { BroadcastMetricsQuery, MetricsQuery, type Question, readBroadcastQuestion, readQuestion } from './question.ts'

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
      Type.String({ description: 'Only while counting lags: later events may be missing.' }),
    ),
  },
  { title: 'Metrics' },
)

/** Every email of a busy year would be millions: more than a client can want at once, or a process can hold. */
const MAX_ROWS = 50_000

/** What a question may take upon itself to count: half a second at most. More than that is left to the job. */
export const MAX_UNCOUNTED_EVENTS = 10_000

export const metricsEndpoint = endpoint({
  id: 'emails.metrics',
  route: 'GET /emails/metrics',
  summary: 'Retrieve email metrics',
  description: 'Counts of emails by outcome.',
  query: MetricsQuery,
  reply: Metrics,
  run: ({ query, services: { db, clock }, actor: { team } }) =>
    answer(db, team, readQuestion(query, clock.of(team).now())),
})

export const broadcastsMetricsEndpoint = endpoint({
  id: 'broadcasts.metrics',
  route: 'GET /broadcasts/metrics',
  summary: 'Retrieve metrics of broadcasts',
  description:
    'Counts of the emails of broadcasts by outcome. With `broadcast_id` and without the dimension `period`, all of their time is counted, whatever the range.',
  query: BroadcastMetricsQuery,
  reply: Metrics,
  async run({ query, services: { db, clock }, actor: { team } }) {
    const question = readBroadcastQuestion(query, clock.of(team).now())
    if (question.broadcasts.length === 0 || question.dimensions.includes('period')) return answer(db, team, question)
    const start = await firstMadeAt(db, team, question.broadcasts)
    return answer(db, team, { ...question, end: clock.of(team).now(), isUntilNow: true, ...(start && { start }) })
  },
})

async function answer(db: Database, team: string, question: Question) {
  const { metrics, dimensions, granularity, start, end } = question
  const isComplete = await foldEvents(db, team, MAX_UNCOUNTED_EVENTS)
  const { totals, rows, data } = await readCounts(db, team, question, MAX_ROWS + 1)
  if (rows > MAX_ROWS) throw tooManyRows()
  const countedUntil = isComplete ? null : await uncountedEvents.oldestAt(db, team)
  const head = {
    object: 'metrics' as const,
    start_date: start.toISOString(),
    end_date: end.toISOString(),
    metrics: [...metrics],
    dimensions: [...dimensions],
    granularity,
    totals: metricsOf(totals, metrics),
  }
  const counted = countedUntil && { counted_until: countedUntil.toISOString() }
  if (dimensions.length === 0) return { ...head, ...counted }
  const tail = counted ? `,${JSON.stringify(counted).slice(1)}` : '}'
  return new JsonText(`${JSON.stringify(head).slice(0, -1)},"data":[${data}]${tail}`)
}

const tooManyRows = () =>
  new Problem(
    'validation_error',
    `Invalid \`dimensions\`. The answer would have more than ${MAX_ROWS.toLocaleString('en')} rows: ask for a shorter range, longer periods or single ids.`,
  )
