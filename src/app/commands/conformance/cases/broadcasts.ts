import type { Case, Group } from '../suite/case.ts'
import type { CaseRun } from '../suite/case-run.ts'
import {
  absent,
  count,
  is,
  listing,
  listOf,
  nullable,
  number,
  oneOf,
  optional,
  same,
  string,
  timestamp,
  uuid,
} from '../suite/shape.ts'
import { contactBody, segment, segmentBody } from './audience.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { ANSWER } from './metrics.ts'
import { resourceCases } from './resources.ts'

const LISTED = {
  id: uuid,
  name: nullable(string),
  audience_id: nullable(uuid),
  segment_id: nullable(uuid),
  status: oneOf('draft', 'scheduled', 'queued', 'sent', 'canceled'),
  created_at: timestamp,
  scheduled_at: nullable(timestamp),
  sent_at: nullable(timestamp),
}

const MADE = { object: is('broadcast'), id: uuid }

async function body(trial: CaseRun) {
  const { id } = await trial.need(segment)
  return { name: trial.fresh('News'), segment_id: id, from: trial.from, subject: 'News', html: '<p>News</p>' }
}

type Body = Awaited<ReturnType<typeof body>>

const draft = async (trial: CaseRun, change: object = {}): Promise<string> =>
  (await trial.made('POST /broadcasts', { body: { ...(await body(trial)), ...change } })).id

const read = (trial: CaseRun, id: string) => trial.call('GET /broadcasts/:id', { params: { id } })

const RECIPIENT = { id: string, contact_id: nullable(uuid), email: string }
const SHARE = { total: number, percentage: number }

const cases: Case[] = [
  {
    ...{ id: 'broadcasts.audience', title: 'takes `audience_id` for `segment_id`', operation: 'POST /broadcasts' },
    async run(trial) {
      const { segment_id, ...rest } = await body(trial)
      const answer = await trial.call('POST /broadcasts', { body: { ...rest, audience_id: segment_id } })
      const { id } = answer.is(201, MADE)
      ;(await read(trial, id)).is(200, { segment_id: is(segment_id), audience_id: is(segment_id) })
    },
  },
  {
    ...{ id: 'broadcasts.send', title: 'goes to the contacts of its segment', operation: 'POST /broadcasts/:id/send' },
    async run(trial) {
      const { id: segmentId } = await trial.made('POST /segments', { body: segmentBody(trial) })
      const { email } = await member(trial, segmentId, {})
      await member(trial, segmentId, { unsubscribed: true })
      const id = await draft(trial, { segment_id: segmentId })
      ;(await trial.call('POST /broadcasts/:id/send', { params: { id }, body: {} })).is(200, { id: is(id) })
      trial.world.options.leftovers.sent(`/broadcasts/${id}`)
      await trial.until('a broadcast is sent', async () => (await read(trial, id)).body?.status === 'sent')
      ;(await read(trial, id)).is(200, { sent_at: timestamp })
      await trial.until('a broadcast has a recipient', async () => {
        const answer = await trial.call('GET /broadcasts/:id/recipients', { params: { id }, query: 'type=sent' })
        const { data = [] } = answer.is(200, listOf(RECIPIENT))
        return data.length === 1 && data[0].email === email
      })
    },
  },
  {
    ...{ id: 'broadcasts.schedule', title: 'waits for a time, and is a draft again when canceled' },
    operation: 'POST /broadcasts/:id/cancel',
    async run(trial) {
      const id = await draft(trial)
      const answer = await trial.call('POST /broadcasts/:id/send', {
        params: { id },
        body: { scheduled_at: 'in 2 days' },
      })
      answer.is(200, { id: is(id) })
      ;(await read(trial, id)).is(200, { status: is('scheduled'), scheduled_at: timestamp })
      ;(await trial.call('POST /broadcasts/:id/cancel', { params: { id } })).is(200, { ...MADE, id: is(id) })
      ;(await read(trial, id)).is(200, { status: is('draft') })
    },
  },
  {
    ...{ id: 'broadcasts.cancel-draft', title: 'refuses to cancel a draft', operation: 'POST /broadcasts/:id/cancel' },
    async run(trial) {
      const answer = await trial.call('POST /broadcasts/:id/cancel', { params: { id: await draft(trial) } })
      answer.fails([400, 403, 409, 422], 'validation_error', /queued or scheduled/)
    },
  },
  {
    ...{ id: 'broadcasts.send-at-once', title: '`send` sends at once, or schedules', operation: 'POST /broadcasts' },
    async run(trial) {
      const given = { ...(await body(trial)), send: true, scheduled_at: 'in 2 days' }
      const { id } = (await trial.call('POST /broadcasts', { body: given })).is(201, MADE)
      ;(await read(trial, id)).is(200, { status: is('scheduled') })
      await trial.call('POST /broadcasts/:id/cancel', { params: { id } })
    },
  },
  {
    ...{
      id: 'broadcasts.duplicate',
      title: 'copies a broadcast, as a draft',
      operation: 'POST /broadcasts/:id/duplicate',
    },
    async run(trial) {
      const name = trial.fresh('News')
      const answer = await trial.call('POST /broadcasts/:id/duplicate', {
        params: { id: await draft(trial, { name }) },
      })
      // The sources do not say whether it is 200 or 201.
      const copy = answer.is(answer.status === 201 ? 201 : 200, MADE)
      ;(await read(trial, copy.id)).is(200, { status: is('draft'), name: is(`${name} (copy)`), subject: is('News') })
    },
  },
  {
    ...{ id: 'broadcasts.no-body', title: 'refuses one without `html` and `text`', operation: 'POST /broadcasts' },
    async run(trial) {
      const { html: _html, ...rest } = await body(trial)
      const answer = await trial.call('POST /broadcasts', { body: rest })
      answer.fails(422, ['validation_error', 'missing_required_field'])
    },
  },
  {
    ...{
      id: 'broadcasts.recipients-type',
      title: 'recipients need a `type`',
      operation: 'GET /broadcasts/:id/recipients',
    },
    async run(trial) {
      const params = { id: await draft(trial) }
      for (const type of ['delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'suppressed']) {
        const answer = await trial.call('GET /broadcasts/:id/recipients', { params, query: { type } })
        answer.is(200, listOf({ ...RECIPIENT, count: optional(count) }))
      }
      const without = await trial.call('GET /broadcasts/:id/recipients', { params })
      without.fails(422, [
        'missing_required_parameter',
        'validation_error',
        'missing_required_field',
        'invalid_parameter',
      ])
    },
  },
  {
    ...{
      id: 'broadcasts.clicked-links',
      title: 'lists what was clicked',
      operation: 'GET /broadcasts/:id/clicked-links',
    },
    async run(trial) {
      const answer = await trial.call('GET /broadcasts/:id/clicked-links', { params: { id: await draft(trial) } })
      answer.is(200, listOf({ id: string, url: string, clicks: count, unique_clicks: count }))
    },
  },
  {
    ...{ id: 'broadcasts.all-metrics', title: 'counts over broadcasts', operation: 'GET /broadcasts/metrics' },
    async run(trial) {
      const answer = await trial.call('GET /broadcasts/metrics', { query: 'metrics=sent,delivered' })
      if (answer.body?.name === 'invalid_parameter') answer.isNotThere()
      answer.is(200, { ...ANSWER, metrics: same(['sent', 'delivered']), totals: { sent: number, delivered: number } })
    },
  },
  {
    ...{ id: 'broadcasts.metrics', title: 'counts what became of one', operation: 'GET /broadcasts/:id/metrics' },
    async run(trial) {
      const id = await draft(trial)
      const answer = await trial.call('GET /broadcasts/:id/metrics', { params: { id } })
      answer.is(200, {
        ...{ object: is('broadcast_metrics'), broadcast_id: is(id), status: is('draft'), created_at: timestamp },
        ...{ scheduled_at: nullable(timestamp), sent_at: nullable(timestamp), total: number, sent: number },
        ...{ remaining: number, delivered: SHARE, opened: SHARE, clicked: SHARE, unsubscribed: SHARE, bounced: SHARE },
        ...{ complained: SHARE, suppressed: SHARE, clicked_links: listing({ url: string, clicks: count }) },
      })
    },
  },
]

async function member(trial: CaseRun, segmentId: string, change: object): Promise<{ email: string }> {
  const given = { ...contactBody(trial), segments: [{ id: segmentId }], ...change }
  await trial.made('POST /contacts', { body: given })
  return given
}

export const broadcasts: Group = {
  id: 'broadcasts',
  title: 'Broadcasts',
  cases: [
    ...resourceCases({
      ...{
        id: 'broadcasts',
        object: 'broadcast',
        name: 'broadcast',
        body,
        created: { ...MADE, object: optional(string) },
      },
      create: 'POST /broadcasts',
      get: 'GET /broadcasts/:id',
      update: 'PATCH /broadcasts/:id',
      remove: 'DELETE /broadcasts/:id',
      shape: (given: Body) => ({
        ...{ ...LISTED, name: is(given.name), segment_id: is(given.segment_id), audience_id: is(given.segment_id) },
        ...{ from: is(given.from), subject: is(given.subject), html: is(given.html), status: is('draft') },
        ...{ reply_to: nullable(listing(string)), preview_text: nullable(string), topic_id: nullable(uuid) },
        text: nullable(string),
      }),
      change: {
        body: { subject: 'Other news', preview_text: 'Read it', reply_to: 'delivered@resend.dev' },
        shape: { subject: is('Other news'), preview_text: is('Read it'), reply_to: same(['delivered@resend.dev']) },
      },
    }),
    ...cases,
    ...listCases({
      ...{ id: 'broadcasts', operation: 'GET /broadcasts', item: { ...LISTED, html: absent }, page: 'all' },
      make: (trial) => draft(trial),
    }),
    ...everyOperationCases('broadcasts'),
  ],
}
