import type { Case, Group } from '../suite/case.ts'
import type { CaseRun } from '../suite/case-run.ts'
import { anything, is, listing, listOf, nullable, oneOf, same, string, timestamp, uuid } from '../suite/shape.ts'
import { contact } from './audience.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { resourceCases } from './resources.ts'

const LISTED = {
  id: uuid,
  name: string,
  status: oneOf('enabled', 'disabled'),
  created_at: timestamp,
  updated_at: timestamp,
}

const MADE = { object: is('automation'), id: uuid }

/** Waits, and does nothing to anybody. */
const body = (trial: CaseRun, event = trial.fresh('conformance.begun')) => ({
  name: trial.fresh('Automation'),
  steps: [
    { key: 'start', type: 'trigger', config: { event_name: event } },
    { key: 'wait', type: 'delay', config: { duration: '1 day' } },
  ],
  connections: [{ from: 'start', to: 'wait' }],
})

type Body = ReturnType<typeof body>

const RUN = {
  id: uuid,
  status: oneOf('running', 'completed', 'failed', 'cancelled'),
  started_at: nullable(timestamp),
  completed_at: nullable(timestamp),
  created_at: timestamp,
}

const STEP = {
  key: string,
  type: string,
  status: oneOf('pending', 'running', 'completed', 'failed', 'skipped', 'waiting'),
  output: anything,
  error: anything,
  started_at: nullable(timestamp),
  completed_at: nullable(timestamp),
  created_at: timestamp,
}

const cases: Case[] = [
  {
    ...{
      id: 'automations.duplicate',
      title: 'copies an automation, disabled',
      operation: 'POST /automations/:id/duplicate',
    },
    async run(trial) {
      const given = body(trial)
      const { id } = await trial.made('POST /automations', { body: given })
      const copy = (await trial.call('POST /automations/:id/duplicate', { params: { id } })).is(201, MADE)
      const read = await trial.call('GET /automations/:id', { params: { id: copy.id } })
      read.is(200, { name: is(`${given.name} (Copy)`), status: is('disabled') })
    },
  },
  {
    ...{
      id: 'automations.run',
      title: 'an event starts a run, and a stop cancels it',
      operation: 'GET /automations/:id/runs',
    },
    async run(trial) {
      const event = trial.fresh('conformance.begun')
      const { id } = await trial.made('POST /automations', { body: { ...body(trial, event), status: 'enabled' } })
      const { id: contactId } = await trial.need(contact)
      const sent = await trial.call('POST /events/send', { body: { event, contact_id: contactId } })
      sent.is(202, { object: is('event'), event: is(event) })
      const run = await trial.until('an event starts a run', async () => {
        const answer = await trial.call('GET /automations/:id/runs', { params: { id } })
        return answer.is(200, listOf(RUN)).data?.[0]
      })
      const params = { id, run_id: run.id }
      const read = await trial.call('GET /automations/:id/runs/:run_id', { params })
      read.is(200, { ...RUN, object: is('automation_run'), id: is(run.id), steps: listing(STEP) })
      const stopped = await trial.call('POST /automations/:id/stop', { params: { id } })
      stopped.is(200, { ...MADE, id: is(id), status: is('disabled') })
    },
  },
  {
    ...{ id: 'automations.read-run', title: 'reads a run', operation: 'GET /automations/:id/runs/:run_id' },
    async run(trial) {
      const { id } = await trial.made('POST /automations', { body: body(trial) })
      const answer = await trial.call('GET /automations/:id/runs/:run_id', { params: { id, run_id: id } })
      answer.fails(404, 'not_found')
    },
  },
  {
    ...{ id: 'automations.stop', title: 'stops an automation', operation: 'POST /automations/:id/stop' },
    async run(trial) {
      const { id } = await trial.made('POST /automations', { body: { ...body(trial), status: 'enabled' } })
      ;(await trial.call('POST /automations/:id/stop', { params: { id } })).is(200, { ...MADE, status: is('disabled') })
      ;(await trial.call('GET /automations/:id', { params: { id } })).is(200, { status: is('disabled') })
    },
  },
  {
    ...{ id: 'automations.status', title: 'lists those of one status', operation: 'GET /automations' },
    async run(trial) {
      await trial.made('POST /automations', { body: body(trial) })
      const answer = await trial.call('GET /automations', { query: 'status=disabled&limit=100' })
      answer.is(200, listOf({ ...LISTED, status: is('disabled') }))
    },
  },
  {
    ...{ id: 'automations.no-trigger', title: 'refuses steps without a trigger', operation: 'POST /automations' },
    async run(trial) {
      const { steps, ...rest } = body(trial)
      const answer = await trial.call('POST /automations', {
        body: { ...rest, steps: steps.slice(1), connections: [] },
      })
      answer.fails(422, 'validation_error')
    },
  },
]

export const automations: Group = {
  id: 'automations',
  title: 'Automations',
  cases: [
    ...resourceCases({
      ...{
        id: 'automations',
        object: 'automation',
        name: 'automation',
        body: (trial: CaseRun) => body(trial),
        created: MADE,
      },
      create: 'POST /automations',
      get: 'GET /automations/:id',
      update: 'PATCH /automations/:id',
      remove: 'DELETE /automations/:id',
      shape: ({ name }: Body) => ({
        ...{
          ...LISTED,
          name: is(name),
          status: is('disabled'),
          steps: listing({ key: string, type: string, config: anything }),
        },
        connections: listing({ from: is('start'), to: is('wait'), type: is('default') }),
      }),
      change: { body: { name: 'Renamed by conformance' }, shape: { name: is('Renamed by conformance') } },
    }),
    ...cases,
    ...listCases({
      ...{ id: 'automations', operation: 'GET /automations', item: LISTED, page: 20 },
      make: async (trial) => (await trial.made('POST /automations', { body: body(trial) })).id,
    }),
    ...everyOperationCases('automations'),
  ],
}

const EVENT = { id: uuid, name: string, created_at: timestamp, updated_at: nullable(timestamp) }
const eventBody = (trial: CaseRun) => ({
  name: trial.fresh('conformance.event'),
  schema: { plan: 'string', seats: 'number' },
})

export const events: Group = {
  id: 'events',
  title: 'Events',
  cases: [
    ...resourceCases({
      ...{ id: 'events', object: 'event', name: 'event', body: eventBody, created: { object: is('event'), id: uuid } },
      create: 'POST /events',
      get: 'GET /events/:id',
      update: 'PATCH /events/:id',
      remove: 'DELETE /events/:id',
      shape: ({ name, schema }) => ({ ...EVENT, name: is(name), schema: same(schema) }),
      change: { body: { schema: { plan: 'string' } }, shape: { schema: same({ plan: 'string' }) } },
    }),
    {
      ...{ id: 'events.by-name', title: 'a name does as well as an id', operation: 'GET /events/:id' },
      async run(trial) {
        const { name } = eventBody(trial)
        const { id } = await trial.made('POST /events', { body: { name } })
        const answer = await trial.call('GET /events/:id', { params: { id: encodeURIComponent(name) } })
        answer.is(200, { ...EVENT, object: is('event'), id: is(id), schema: is(null) })
      },
    },
    {
      ...{ id: 'events.send', title: 'takes an event of a contact', operation: 'POST /events/send' },
      async run(trial) {
        const given = eventBody(trial)
        await trial.made('POST /events', { body: given })
        const { id, email } = await trial.need(contact)
        for (const whose of [{ contact_id: id }, { email }]) {
          const body = { event: given.name, ...whose, payload: { plan: 'pro', seats: 3 } }
          ;(await trial.call('POST /events/send', { body })).is(202, { object: is('event'), event: is(given.name) })
        }
      },
    },
    {
      ...{
        id: 'events.bad-payload',
        title: 'refuses a payload that the schema does not allow',
        operation: 'POST /events/send',
      },
      async run(trial) {
        const given = eventBody(trial)
        await trial.made('POST /events', { body: given })
        const { id } = await trial.need(contact)
        const body = { event: given.name, contact_id: id, payload: { seats: 'many' } }
        ;(await trial.call('POST /events/send', { body })).fails(422, 'validation_error')
      },
    },
    {
      ...{ id: 'events.one-contact', title: 'refuses an event of nobody, and of two', operation: 'POST /events/send' },
      async run(trial) {
        const { id, email } = await trial.need(contact)
        const event = trial.fresh('conformance.event')
        for (const whose of [{}, { contact_id: id, email }]) {
          const answer = await trial.call('POST /events/send', { body: { event, ...whose } })
          answer.fails(422, ['validation_error', 'missing_required_field'])
        }
      },
    },
    {
      ...{ id: 'events.reserved', title: 'refuses a name that begins with `resend:`', operation: 'POST /events' },
      async run(trial) {
        const answer = await trial.call('POST /events', { body: { name: `resend:${trial.fresh()}` } })
        answer.fails(422, 'validation_error')
      },
    },
    ...listCases({
      ...{ id: 'events', operation: 'GET /events', item: EVENT, page: 20 },
      make: async (trial) => (await trial.made('POST /events', { body: eventBody(trial) })).id,
    }),
    ...everyOperationCases('events'),
  ],
}
