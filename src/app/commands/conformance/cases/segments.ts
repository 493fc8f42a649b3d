import type { Case, Group } from '../suite/case.ts'
import type { Fixture } from '../suite/case-run.ts'
import { boolean, is, listing, listOf, number, optional, same, string, timestamp, uuid } from '../suite/shape.ts'
import { contactBody, LISTED_CONTACT, MADE_CONTACT, segment, segmentBody } from './audience.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { resourceCases } from './resources.ts'

const ITEM = { id: uuid, name: string, created_at: timestamp }

/** One that only the list of its contacts uses. */
const listed: Fixture<{ id: string }> = {
  make: async (trial) => ({ id: (await trial.made('POST /segments', { body: segmentBody(trial) })).id }),
}

const cases: Case[] = [
  {
    ...{
      id: 'segments.delete-keeps',
      title: 'contacts stay when their segment is deleted',
      operation: 'DELETE /segments/:id',
    },
    async run(trial) {
      const { id: segmentId } = await trial.made('POST /segments', { body: segmentBody(trial) })
      const { id } = await trial.made('POST /contacts', {
        body: { ...contactBody(trial), segments: [{ id: segmentId }] },
      })
      const answer = await trial.call('DELETE /segments/:id', { params: { id: segmentId } })
      answer.is(200, { object: is('segment'), id: is(segmentId), deleted: is(true) })
      ;(await trial.call('GET /contacts/:id', { params: { id } })).is(200, MADE_CONTACT)
    },
  },
  {
    ...{ id: 'segments.metrics', title: 'counts the contacts of segments', operation: 'GET /segments/metrics' },
    async run(trial) {
      const { id } = await trial.need(segment)
      const counts = { all_contacts: number, subscribers: number, unsubscribers: number }
      const query = `dimensions=segment&segment_id=${id}`
      const answer = await trial.call('GET /segments/metrics', { query })
      if (answer.body?.name === 'invalid_parameter') answer.isNotThere()
      answer.is(200, {
        ...{ object: is('segments_metrics'), metrics: listing(string), dimensions: same(['segment']), sort_by: string },
        ...{ sort_order: string, totals: counts, data: listing({ segment_id: uuid, segment_name: string, ...counts }) },
      })
    },
  },
]

export const segments: Group = {
  id: 'segments',
  title: 'Segments',
  cases: [
    ...resourceCases({
      ...{ id: 'segments', object: 'segment', name: 'segment', body: segmentBody },
      create: 'POST /segments',
      get: 'GET /segments/:id',
      update: 'PATCH /segments/:id',
      remove: 'DELETE /segments/:id',
      created: { object: is('segment'), id: uuid, name: optional(string) },
      shape: ({ name }) => ({ name: is(name), created_at: timestamp }),
      change: { body: { name: 'Renamed by conformance' }, shape: { name: is('Renamed by conformance') } },
    }),
    ...cases,
    ...listCases({
      ...{ id: 'segments', operation: 'GET /segments', item: ITEM, page: 'all' },
      make: async (trial) => (await trial.made('POST /segments', { body: segmentBody(trial) })).id,
    }),
    ...listCases({
      ...{ id: 'segments.contacts', operation: 'GET /segments/:id/contacts', page: 'all', within: listed },
      item: LISTED_CONTACT,
      async make(trial) {
        const { id } = await trial.need(listed)
        return (await trial.made('POST /contacts', { body: { ...contactBody(trial), segments: [{ id }] } })).id
      },
    }),
    ...everyOperationCases('segments'),
  ],
}

const audience: Fixture<{ id: string }> = {
  make: (trial) => trial.made('POST /audiences', { body: segmentBody(trial) }),
}

const inAudience: Fixture<{ id: string; contact_id: string }> = {
  async make(trial) {
    const { id } = await trial.need(audience)
    const { id: contactId } = await trial.made('POST /audiences/:id/contacts', {
      params: { id },
      body: contactBody(trial),
    })
    return { id, contact_id: contactId }
  },
}

/** The older name of segments, which older clients use. */
export const audiences: Group = {
  id: 'audiences',
  title: 'Audiences (deprecated)',
  cases: [
    {
      ...{ id: 'audiences.create', title: 'makes an audience', operation: 'POST /audiences' },
      async run(trial) {
        const answer = await trial.call('POST /audiences', { body: segmentBody(trial) })
        answer.is(201, { object: is('audience'), id: uuid, name: optional(string) })
      },
    },
    {
      ...{ id: 'audiences.get', title: 'an audience is a segment of the same id', operation: 'GET /audiences/:id' },
      async run(trial) {
        const { id } = await trial.need(segment)
        const answer = await trial.call('GET /audiences/:id', { params: { id } })
        answer.is(200, { object: is('audience'), id: is(id), name: string, created_at: timestamp })
      },
    },
    {
      ...{ id: 'audiences.list', title: 'lists audiences', operation: 'GET /audiences' },
      async run(trial) {
        const answer = await trial.call('GET /audiences')
        answer.is(200, { object: is('list'), has_more: optional(boolean), data: listing(ITEM) })
      },
    },
    {
      ...{ id: 'audiences.delete', title: 'deletes an audience', operation: 'DELETE /audiences/:id' },
      async run(trial) {
        const { id } = await trial.made('POST /audiences', { body: segmentBody(trial) })
        const answer = await trial.call('DELETE /audiences/:id', { params: { id } })
        answer.is(200, { object: is('audience'), id: is(id), deleted: is(true) })
      },
    },
    {
      ...{
        id: 'audiences.add-contact',
        title: 'makes a contact in an audience',
        operation: 'POST /audiences/:id/contacts',
      },
      async run(trial) {
        const { id } = await trial.need(audience)
        const answer = await trial.call('POST /audiences/:id/contacts', { params: { id }, body: contactBody(trial) })
        answer.is(201, MADE_CONTACT)
      },
    },
    {
      ...{
        id: 'audiences.contacts',
        title: 'lists the contacts of an audience',
        operation: 'GET /audiences/:id/contacts',
      },
      async run(trial) {
        const { id } = await trial.need(inAudience)
        ;(await trial.call('GET /audiences/:id/contacts', { params: { id } })).is(200, listOf(LISTED_CONTACT))
      },
    },
    {
      ...{ id: 'audiences.get-contact', title: 'reads a contact of an audience' },
      operation: 'GET /audiences/:id/contacts/:contact_id',
      async run(trial) {
        const params = await trial.need(inAudience)
        const answer = await trial.call('GET /audiences/:id/contacts/:contact_id', { params })
        answer.is(200, { object: is('contact'), ...LISTED_CONTACT, id: is(params.contact_id) })
      },
    },
    {
      ...{ id: 'audiences.update-contact', title: 'changes a contact of an audience' },
      operation: 'PATCH /audiences/:id/contacts/:contact_id',
      async run(trial) {
        const params = await trial.need(inAudience)
        const body = { unsubscribed: true }
        const answer = await trial.call('PATCH /audiences/:id/contacts/:contact_id', { params, body })
        answer.is(200, { object: is('contact'), id: is(params.contact_id) })
      },
    },
    {
      ...{ id: 'audiences.remove-contact', title: 'deletes a contact of an audience' },
      operation: 'DELETE /audiences/:id/contacts/:contact_id',
      async run(trial) {
        const { id } = await trial.need(audience)
        const made = await trial.made('POST /audiences/:id/contacts', { params: { id }, body: contactBody(trial) })
        const params = { id, contact_id: made.id }
        const answer = await trial.call('DELETE /audiences/:id/contacts/:contact_id', { params })
        answer.is(200, { object: is('contact'), contact: string, deleted: is(true) })
      },
    },
    ...everyOperationCases('audiences'),
  ],
}
