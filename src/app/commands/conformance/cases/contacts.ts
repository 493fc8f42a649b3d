import type { Case, Group } from '../suite/case.ts'
import type { CaseRun, Fixture, Json } from '../suite/case-run.ts'
import {
  absent,
  boolean,
  is,
  listOf,
  nullable,
  oneOf,
  optional,
  same,
  string,
  timestamp,
  uuid,
} from '../suite/shape.ts'
import { contact, contactBody, LISTED_CONTACT, MADE_CONTACT, property, segment, topic, topicBody } from './audience.ts'
import { everyOperationCases } from './every-operation.ts'
import { importCases } from './imports.ts'
import { listCases } from './lists.ts'
import { resourceCases } from './resources.ts'

const read = (trial: CaseRun, id: string) => trial.call('GET /contacts/:id', { params: { id } })

const cases: Case[] = [
  {
    ...{ id: 'contacts.by-email', title: 'an address does as well as an id', operation: 'GET /contacts/:id' },
    async run(trial) {
      const { id, email } = await trial.need(contact)
      // Raw, as the official client for Node sends it, and encoded.
      for (const name of [email, encodeURIComponent(email)])
        (await read(trial, name)).is(200, { id: is(id), email: is(email) })
    },
  },
  {
    ...{
      id: 'contacts.again',
      title: 'an address that is there already gives its contact',
      operation: 'POST /contacts',
    },
    async run(trial) {
      const { id, email } = await trial.need(contact)
      ;(await trial.call('POST /contacts', { body: { email } })).is(201, { ...MADE_CONTACT, id: is(id) })
    },
  },
  {
    ...{ id: 'contacts.bad-email', title: 'refuses what is no address', operation: 'POST /contacts' },
    async run(trial) {
      ;(await trial.call('POST /contacts', { body: { email: 'nobody' } })).fails(422, 'validation_error', /email/i)
    },
  },
  {
    ...{
      id: 'contacts.properties',
      title: 'keeps, changes and removes values of properties',
      operation: 'PATCH /contacts/:id',
    },
    async run(trial) {
      const { key } = await trial.need(property)
      const { id } = await trial.made('POST /contacts', { body: { ...contactBody(trial), properties: { [key]: 'a' } } })
      const shape = (value: string) => ({ properties: { [key]: { type: is('string'), value: is(value) } } })
      ;(await read(trial, id)).is(200, shape('a'))
      const change = (body: Json) => trial.call('PATCH /contacts/:id', { params: { id }, body })
      ;(await change({ properties: { [key]: 'b' } })).is(200, MADE_CONTACT)
      ;(await read(trial, id)).is(200, shape('b'))
      ;(await change({ properties: { [key]: null }, first_name: null })).is(200, MADE_CONTACT)
      const after = await read(trial, id)
      const { properties } = after.is(200, { first_name: is(null) })
      // Without a value of its own it may show the fallback of the property.
      const value = properties?.[key]?.value
      trial.check(after.request, { expected: `no value of ${key}`, isTrue: value !== 'b', actual: properties })
    },
  },
  {
    ...{
      id: 'contacts.unknown-property',
      title: 'refuses a property that is not defined',
      operation: 'POST /contacts',
    },
    async run(trial) {
      const body = { ...contactBody(trial), properties: { [trial.fresh('none').replaceAll('-', '_')]: 'a' } }
      ;(await trial.call('POST /contacts', { body })).fails(422, 'validation_error')
    },
  },
  {
    ...{ id: 'contacts.create-with', title: 'makes a contact with segments and topics', operation: 'POST /contacts' },
    async run(trial) {
      const [{ id: segmentId }, { id: topicId }] = [await trial.need(segment), await trial.need(topic)]
      const topics = [{ id: topicId, subscription: 'opt_out' }]
      for (const segments of [[{ id: segmentId }], [segmentId]]) {
        const body = { ...contactBody(trial), segments, topics }
        const { id } = (await trial.call('POST /contacts', { body })).is(201, MADE_CONTACT)
        const listed = await trial.call('GET /contacts/:id/segments', { params: { id } })
        const { data } = listed.is(200, listOf({ id: is(segmentId), name: string, created_at: timestamp }))
        trial.check(listed.request, { expected: '1 segment', isTrue: data?.length === 1, actual: data })
        await subscribed(trial, id, { topicId, subscription: 'opt_out' })
      }
    },
  },
  {
    ...{ id: 'contacts.add-segment', title: 'puts a contact into a segment' },
    operation: 'POST /contacts/:id/segments/:segment_id',
    async run(trial) {
      const { id: segmentId } = await trial.need(segment)
      const { id } = await trial.made('POST /contacts', { body: contactBody(trial) })
      const params = { id, segment_id: segmentId }
      ;(await trial.call('POST /contacts/:id/segments/:segment_id', { params })).is(200, { id: optional(uuid) })
      const listed = await trial.call('GET /contacts/:id/segments', { params: { id } })
      const { data } = listed.is(200, listOf({ id: is(segmentId) }))
      trial.check(listed.request, { expected: '1 segment', isTrue: data?.length === 1, actual: data })
    },
  },
  {
    ...{ id: 'contacts.remove-segment', title: 'takes a contact out of a segment' },
    operation: 'DELETE /contacts/:id/segments/:segment_id',
    async run(trial) {
      const { id: segmentId } = await trial.need(segment)
      const { id } = await trial.made('POST /contacts', {
        body: { ...contactBody(trial), segments: [{ id: segmentId }] },
      })
      const params = { id, segment_id: segmentId }
      ;(await trial.call('DELETE /contacts/:id/segments/:segment_id', { params })).is(200, { deleted: is(true) })
      const listed = await trial.call('GET /contacts/:id/segments', { params: { id } })
      const { data } = listed.is(200, listOf({}))
      trial.check(listed.request, { expected: 'no segment', isTrue: data?.length === 0, actual: data })
    },
  },
  {
    ...{
      id: 'contacts.topics',
      title: 'lists topics with what counts for a contact',
      operation: 'GET /contacts/:id/topics',
    },
    async run(trial) {
      const [{ id }, { id: topicId }] = [await trial.need(contact), await trial.need(topic)]
      await subscribed(trial, id, { topicId, subscription: 'opt_in' })
    },
  },
  {
    ...{ id: 'contacts.update-topics', title: 'changes subscriptions, as a list or in an object' },
    operation: 'PATCH /contacts/:id/topics',
    async run(trial) {
      const [{ id }, { id: topicId }] = [
        await trial.made('POST /contacts', { body: contactBody(trial) }),
        await trial.made('POST /topics', { body: topicBody(trial) }),
      ]
      for (const [subscription, wrap] of [
        ['opt_out', (topics: Json) => topics],
        ['opt_in', (topics: Json) => ({ topics })],
      ] as const) {
        const body = wrap([{ id: topicId, subscription }])
        ;(await trial.call('PATCH /contacts/:id/topics', { params: { id }, body })).is(200, { id: optional(uuid) })
        await subscribed(trial, id, { topicId, subscription })
      }
    },
  },
  {
    ...{ id: 'contacts.by-segment', title: 'lists the contacts of a segment', operation: 'GET /contacts' },
    async run(trial) {
      const { id: segmentId } = await trial.made('POST /segments', { body: { name: trial.fresh() } })
      const { id } = await trial.made('POST /contacts', {
        body: { ...contactBody(trial), segments: [{ id: segmentId }] },
      })
      const answer = await trial.call('GET /contacts', { query: { segment_id: segmentId } })
      const { data } = answer.is(200, listOf({ ...LISTED_CONTACT, id: is(id) }))
      trial.check(answer.request, { expected: '1 contact', isTrue: data?.length === 1, actual: data?.length })
    },
  },
]

async function subscribed(trial: CaseRun, id: string, facts: { topicId: string; subscription: string }) {
  const answer = await trial.call('GET /contacts/:id/topics', { params: { id }, query: 'limit=100' })
  const item = { id: uuid, name: string, description: nullable(string), subscription: oneOf('opt_in', 'opt_out') }
  const { data = [] } = answer.is(200, listOf(item))
  const found = data.find((one: { id: string }) => one.id === facts.topicId)
  trial.check(answer.request, {
    ...{ expected: `${facts.topicId} is ${facts.subscription}`, actual: found },
    isTrue: found?.subscription === facts.subscription,
  })
}

/** A contact, and segments that it is put into one after the other. */
const member: Fixture<{ id: string }> = {
  make: async (trial) => ({ id: (await trial.made('POST /contacts', { body: contactBody(trial) })).id }),
}

export const contacts: Group = {
  id: 'contacts',
  title: 'Contacts',
  cases: [
    ...resourceCases({
      ...{ id: 'contacts', object: 'contact', name: 'contact', body: contactBody, created: MADE_CONTACT },
      create: 'POST /contacts',
      get: 'GET /contacts/:id',
      update: 'PATCH /contacts/:id',
      remove: 'DELETE /contacts/:id',
      shape: (given) => ({
        ...{ email: is(given.email), first_name: is('Ada'), last_name: is('Lovelace'), created_at: timestamp },
        ...{ unsubscribed: is(false), properties: {} },
      }),
      change: {
        body: { first_name: 'Grace', unsubscribed: true },
        shape: { first_name: is('Grace'), last_name: is('Lovelace'), unsubscribed: is(true) },
      },
      removed: { object: is('contact'), contact: uuid, deleted: is(true) },
    }),
    ...cases,
    ...listCases({
      ...{ id: 'contacts', operation: 'GET /contacts', page: 'all' },
      item: { ...LISTED_CONTACT, unsubscribed: boolean, properties: optional(same({})), object: absent },
      make: async (trial) => (await trial.made('POST /contacts', { body: contactBody(trial) })).id,
    }),
    ...listCases({
      ...{ id: 'contacts.segments', operation: 'GET /contacts/:id/segments', page: 20, within: member },
      item: { id: uuid, name: string, created_at: timestamp },
      async make(trial) {
        const { id } = await trial.need(member)
        const { id: segmentId } = await trial.made('POST /segments', { body: { name: trial.fresh() } })
        await trial.made('POST /contacts/:id/segments/:segment_id', { params: { id, segment_id: segmentId } })
        return segmentId
      },
    }),
    ...importCases,
    ...everyOperationCases('contacts'),
  ],
}
