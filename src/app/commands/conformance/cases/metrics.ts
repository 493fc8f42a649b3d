import type { Case } from '../suite/case.ts'
import { absent, is, iso, listing, number, object, oneOf, same, string, url, uuid } from '../suite/shape.ts'
import { sentEmail } from './mail.ts'

const METRICS = [
  ...['received', 'delivered', 'complained', 'suppressed', 'bounced', 'bounced_transient', 'bounced_permanent'],
  ...['bounced_undetermined', 'opened', 'clicked', 'unsubscribed', 'delivery_delayed', 'failed', 'sent'],
  ...['unique_opened', 'unique_clicked', 'delivery_rate', 'open_rate', 'click_rate', 'bounce_rate'],
  ...['complaint_rate', 'unsubscribe_rate'],
]

const operation = 'GET /emails/metrics'

export const ANSWER = {
  object: is('metrics'),
  start_date: iso,
  end_date: iso,
  metrics: listing(string),
  dimensions: listing(string),
  granularity: oneOf('hourly', 'daily', 'weekly', 'monthly'),
}

export const metricsCases: Case[] = [
  {
    ...{ id: 'emails.metrics', title: 'counts what became of emails', operation },
    async run(trial) {
      const answer = await trial.call(operation)
      const totals = Object.fromEntries(METRICS.map((name) => [name, number]))
      const { metrics } = answer.is(200, {
        ...ANSWER,
        dimensions: same([]),
        granularity: is('daily'),
        totals,
        data: absent,
      })
      const missing = METRICS.filter((name) => !metrics?.includes(name))
      trial.check(answer.request, { expected: 'all 22 metrics', isTrue: missing.length === 0, actual: { missing } })
    },
  },
  {
    ...{ id: 'emails.metrics-choice', title: 'counts what was asked for, by period', operation },
    async run(trial) {
      const answer = await trial.call(operation, {
        query: 'metrics=sent,delivered&dimensions=period&granularity=hourly',
      })
      answer.is(200, {
        ...{ ...ANSWER, metrics: same(['sent', 'delivered']), dimensions: same(['period']), granularity: is('hourly') },
        ...{
          totals: { sent: number, delivered: number },
          data: listing({ period: string, sent: number, delivered: number }),
        },
      })
      const repeated = await trial.call(operation, { query: 'metrics=sent&metrics=delivered' })
      repeated.is(200, { metrics: same(['sent', 'delivered']), totals: object })
    },
  },
  {
    ...{ id: 'emails.metrics-wrong', title: 'refuses dates and metrics that are none', operation },
    async run(trial) {
      for (const query of ['start_date=yesterdayish', 'metrics=nothing', 'granularity=yearly']) {
        const answer = await trial.call(operation, { query })
        answer.fails(422, ['validation_error', 'invalid_parameter'])
      }
    },
  },
  {
    ...{ id: 'emails.share', title: 'gives a link to an email', operation: 'POST /emails/:id/share' },
    async run(trial) {
      const { id } = await trial.need(sentEmail)
      const answer = await trial.call('POST /emails/:id/share', { params: { id }, body: { expires_in: '10m' } })
      answer.is(200, { object: is('email'), id: uuid, url })
    },
  },
  {
    ...{ id: 'emails.share-long', title: 'refuses a link for more than 48 hours', operation: 'POST /emails/:id/share' },
    async run(trial) {
      const { id } = await trial.need(sentEmail)
      const answer = await trial.call('POST /emails/:id/share', { params: { id }, body: { expires_in: '3 days' } })
      answer.fails(422, 'validation_error', /48 hours/)
    },
  },
]
