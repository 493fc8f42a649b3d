import type { Case, Group } from '../suite/case.ts'
import type { CaseRun, Json } from '../suite/case-run.ts'
import {
  absent,
  is,
  listing,
  listOf,
  nullable,
  oneOf,
  same,
  signingSecret,
  string,
  timestamp,
  url,
  uuid,
} from '../suite/shape.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { resourceCases } from './resources.ts'

const LISTED = {
  id: uuid,
  created_at: timestamp,
  status: oneOf('enabled', 'disabled'),
  endpoint: url,
  events: nullable(listing(string)),
}

/** Where nobody listens: nothing is sent there while the suite makes no such event. */
const body = (trial: CaseRun) => ({
  ...{ endpoint: `https://${trial.fresh('cf')}.example.org/hook`, events: ['domain.deleted'] },
})

/** What the documents of the contract name. */
const TYPES = [
  ...['email.sent', 'email.scheduled', 'email.delivered', 'email.delivery_delayed', 'email.complained'],
  ...['email.bounced', 'email.opened', 'email.clicked', 'email.received', 'email.failed', 'email.suppressed'],
  ...['contact.created', 'contact.updated', 'contact.deleted'],
  ...['domain.created', 'domain.updated', 'domain.deleted', 'suppression.added', 'suppression.removed'],
]

const cases: Case[] = [
  {
    ...{ id: 'webhooks.types', title: 'takes every type of event', operation: 'POST /webhooks' },
    async run(trial) {
      const given = { ...body(trial), events: TYPES }
      const { id } = (await trial.call('POST /webhooks', { body: given })).is(201, { id: uuid })
      const read = await trial.call('GET /webhooks/:id', { params: { id } })
      const { events = [] } = read.is(200, LISTED)
      trial.check(read.request, {
        expected: 'all of them',
        isTrue: TYPES.every((type) => events?.includes(type)),
        actual: events,
      })
      await trial.call('DELETE /webhooks/:id', { params: { id } })
    },
  },
  {
    ...{ id: 'webhooks.bad-endpoint', title: 'refuses an endpoint that is no URL', operation: 'POST /webhooks' },
    async run(trial) {
      const answer = await trial.call('POST /webhooks', { body: { ...body(trial), endpoint: 'somewhere' } })
      answer.fails(422, 'validation_error')
    },
  },
  {
    ...{ id: 'webhooks.bad-events', title: 'refuses no events, and unknown ones', operation: 'POST /webhooks' },
    async run(trial) {
      for (const events of [[], ['email.danced']]) {
        const answer = await trial.call('POST /webhooks', { body: { ...body(trial), events } })
        answer.fails(422, ['validation_error', 'missing_required_field'])
      }
    },
  },
  {
    ...{ id: 'webhooks.rotate', title: 'gives a new secret', operation: 'POST /webhooks/:id/signing-secret/rotate' },
    async run(trial) {
      const { id, signing_secret } = await trial.made('POST /webhooks', { body: body(trial) })
      const answer = await trial.call('POST /webhooks/:id/signing-secret/rotate', { params: { id } })
      const rotated = answer.is(200, { object: is('webhook'), id: is(id), signing_secret: signingSecret })
      const isNew = rotated.signing_secret !== signing_secret
      trial.check(answer.request, { expected: 'another secret', isTrue: isNew, actual: 'the same' })
      const read = await trial.call('GET /webhooks/:id', { params: { id } })
      read.is(200, { signing_secret: is(rotated.signing_secret) })
    },
  },
]

export const webhooks: Group = {
  id: 'webhooks',
  title: 'Webhooks',
  cases: [
    ...resourceCases({
      ...{ id: 'webhooks', object: 'webhook', name: 'webhook', body },
      create: 'POST /webhooks',
      get: 'GET /webhooks/:id',
      update: 'PATCH /webhooks/:id',
      remove: 'DELETE /webhooks/:id',
      created: { object: is('webhook'), id: uuid, signing_secret: signingSecret },
      shape: (given: Json) => ({
        ...{ ...LISTED, endpoint: is(given.endpoint), events: same(given.events), status: is('enabled') },
        signing_secret: signingSecret,
      }),
      change: {
        body: { status: 'disabled', events: ['domain.created'] },
        shape: { status: is('disabled'), events: same(['domain.created']) },
      },
    }),
    ...cases,
    ...listCases({
      ...{ id: 'webhooks', operation: 'GET /webhooks', item: { ...LISTED, signing_secret: absent }, page: 20 },
      make: async (trial) => (await trial.made('POST /webhooks', { body: body(trial) })).id,
    }),
    {
      ...{
        id: 'webhooks.no-events',
        title: 'a webhook that was sent nothing has no events',
        operation: 'GET /webhooks/:id/events',
      },
      async run(trial) {
        const { id } = await trial.made('POST /webhooks', { body: { ...body(trial), events: ['email.complained'] } })
        const answer = await trial.call('GET /webhooks/:id/events', { params: { id } })
        answer.is(200, { ...listOf({}), data: same([]), has_more: is(false) })
      },
    },
    ...everyOperationCases('webhooks'),
  ],
}
