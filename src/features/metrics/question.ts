import Type, { type Static } from 'typebox'
import { OneOrMore, orAll, readChoice, readIds, readList } from '../../kernel/http/list-parameters.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { refusedWith } from '../../kernel/http/shapes.ts'
import { readTimezone } from '../../kernel/http/timezone.ts'
import { isDay } from './days.ts'
import { DIMENSIONS, type Dimension, GRANULARITIES, type Granularity, METRICS, type Metric } from './names.ts'

const MAX_PERIODS = 10_000
const DAY_MS = 86_400_000

const dateMessage = (name: string) => `Invalid \`${name}\`.`

export const MetricsQuery = Type.Object({
  start_date: Type.Optional(Type.String(refusedWith(dateMessage('start_date')))),
  end_date: Type.Optional(Type.String(refusedWith(dateMessage('end_date')))),
  timezone: Type.Optional(Type.String()),
  granularity: Type.Optional(Type.String()),
  metrics: OneOrMore,
  dimensions: OneOrMore,
  domain_id: OneOrMore,
  email_id: OneOrMore,
  broadcast_id: OneOrMore,
})

/** The same of broadcasts. */
export const BroadcastMetricsQuery = Type.Omit(MetricsQuery, ['domain_id', 'email_id'])

/** What may be asked for. */
interface Choices {
  readonly metrics: readonly Metric[]
  readonly dimensions: readonly Dimension[]
}

export interface Question {
  readonly start: Date
  readonly end: Date
  /** Nothing is later than its end. */
  readonly isUntilNow: boolean
  readonly timezone: string
  readonly granularity: Granularity
  readonly metrics: readonly Metric[]
  readonly dimensions: readonly Dimension[]
  readonly domains: readonly string[]
  readonly emails: readonly string[]
  readonly broadcasts: readonly string[]
  /** Whether mail that belongs to no broadcast is left out. */
  readonly isOfBroadcasts: boolean
}

const OF_EMAILS: Choices = { metrics: METRICS, dimensions: DIMENSIONS }

export function readQuestion(query: Static<typeof MetricsQuery>, now: Date, choices = OF_EMAILS): Question {
  const { start, end } = readDates(query, now)
  const granularity = readChoice(
    'granularity',
    Object.keys(GRANULARITIES) as Granularity[],
    query.granularity ?? 'daily',
  )
  if ((end.getTime() - start.getTime()) / DAY_MS / GRANULARITIES[granularity].days > MAX_PERIODS)
    throw new Problem(
      'validation_error',
      `Invalid \`granularity\`. The range has more than ${MAX_PERIODS} periods of it.`,
    )
  const question = {
    start,
    end,
    isUntilNow: end >= now,
    timezone: readTimezone(query.timezone ?? 'UTC'),
    granularity,
    metrics: orAll(readList('metrics', choices.metrics, query.metrics), choices.metrics),
    dimensions: readList('dimensions', choices.dimensions, query.dimensions),
    domains: readIds('domain_id', query.domain_id),
    emails: readIds('email_id', query.email_id),
    broadcasts: readIds('broadcast_id', query.broadcast_id),
    isOfBroadcasts: false,
  }
  const asksForEmails = question.emails.length > 0 || question.dimensions.includes('email')
  const asksForBroadcasts = question.broadcasts.length > 0 || question.dimensions.includes('broadcast')
  if (asksForEmails && asksForBroadcasts)
    throw new Problem('validation_error', 'Use either emails or broadcasts, not both.')
  return question
}

const OF_BROADCASTS: Choices = {
  metrics: METRICS.filter((metric) => metric !== 'received'),
  dimensions: ['period', 'broadcast'],
}

export const readBroadcastQuestion = (query: Static<typeof BroadcastMetricsQuery>, now: Date): Question => ({
  ...readQuestion(query, now, OF_BROADCASTS),
  isOfBroadcasts: true,
})

/** The last seven days unless the range says otherwise. Nothing is later than now. */
export function readDates(query: Pick<Static<typeof MetricsQuery>, 'start_date' | 'end_date'>, now: Date) {
  const end = new Date(Math.min(readDate('end_date', query.end_date, now, true).getTime(), now.getTime()))
  const start = readDate('start_date', query.start_date, new Date(end.getTime() - 6 * DAY_MS), false)
  if (start > end) throw new Problem('validation_error', 'Invalid `start_date`. It must not be after `end_date`.')
  return { start, end }
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T([\d:.]+)(Z|[+-]\d\d:\d\d)?)?$/

/** A day without a time means its beginning, or its end when it is the last one; a time without a zone is UTC. */
function readDate(name: string, text: string | undefined, fallback: Date, isEnd: boolean): Date {
  if (text === undefined) return fallback
  const [, day = '', time = isEnd ? '23:59:59.999' : '00:00', zone = 'Z'] = ISO.exec(text) ?? []
  const date = new Date(`${day}T${time}${zone}`)
  if (!isDay(day) || Number.isNaN(date.getTime())) throw new Problem('validation_error', dateMessage(name))
  return date
}
