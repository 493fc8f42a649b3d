import type { Group } from '../suite/case.ts'
import { is, nullable, oneOf, optional, string, timestamp, uuid } from '../suite/shape.ts'
import { propertyBody, topicBody } from './audience.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { resourceCases } from './resources.ts'

const TOPIC = {
  id: uuid,
  name: string,
  description: optional(nullable(string)),
  default_subscription: oneOf('opt_in', 'opt_out'),
  visibility: oneOf('public', 'private'),
  created_at: timestamp,
}

export const topics: Group = {
  id: 'topics',
  title: 'Topics',
  cases: [
    ...resourceCases({
      ...{ id: 'topics', object: 'topic', name: 'topic', body: topicBody, created: { object: is('topic'), id: uuid } },
      create: 'POST /topics',
      get: 'GET /topics/:id',
      update: 'PATCH /topics/:id',
      remove: 'DELETE /topics/:id',
      shape: ({ name }) => ({
        ...{
          ...TOPIC,
          name: is(name),
          description: is('Made by a test'),
          default_subscription: is('opt_in'),
          visibility: is('private'),
        },
      }),
      change: {
        body: { description: 'Changed', visibility: 'public', id: 'is ignored' },
        shape: { description: is('Changed'), visibility: is('public'), default_subscription: is('opt_in') },
      },
    }),
    {
      ...{ id: 'topics.lengths', title: 'refuses a long name and a long description', operation: 'POST /topics' },
      async run(trial) {
        for (const change of [{ name: 'n'.repeat(51) }, { description: 'd'.repeat(201) }]) {
          const answer = await trial.call('POST /topics', { body: { ...topicBody(trial), ...change } })
          answer.fails(422, 'validation_error')
        }
      },
    },
    {
      ...{ id: 'topics.bad-default', title: 'refuses a default that is none', operation: 'POST /topics' },
      async run(trial) {
        const body = { ...topicBody(trial), default_subscription: 'perhaps' }
        ;(await trial.call('POST /topics', { body })).fails(422, 'validation_error')
      },
    },
    ...listCases({
      ...{ id: 'topics', operation: 'GET /topics', item: TOPIC, page: 20 },
      make: async (trial) => (await trial.made('POST /topics', { body: topicBody(trial) })).id,
    }),
    ...everyOperationCases('topics'),
  ],
}

const PROPERTY = { id: uuid, key: string, type: oneOf('string', 'number'), created_at: timestamp }

export const properties: Group = {
  id: 'contact-properties',
  title: 'Contact properties',
  cases: [
    ...resourceCases({
      ...{ id: 'contact-properties', object: 'contact_property', name: 'contact property', body: propertyBody },
      create: 'POST /contact-properties',
      get: 'GET /contact-properties/:id',
      update: 'PATCH /contact-properties/:id',
      remove: 'DELETE /contact-properties/:id',
      created: { object: is('contact_property'), id: uuid },
      shape: ({ key }) => ({ ...PROPERTY, key: is(key), type: is('string'), fallback_value: is('none') }),
      change: { body: { fallback_value: null }, shape: { fallback_value: is(null) } },
    }),
    {
      ...{ id: 'contact-properties.bad-key', title: 'refuses a key with other characters' },
      operation: 'POST /contact-properties',
      async run(trial) {
        const answer = await trial.call('POST /contact-properties', { body: { ...propertyBody(trial), key: 'a key!' } })
        answer.fails(422, 'validation_error')
      },
    },
    {
      ...{ id: 'contact-properties.bad-fallback', title: 'refuses a fallback of another type' },
      operation: 'POST /contact-properties',
      async run(trial) {
        const body = { ...propertyBody(trial), type: 'number', fallback_value: 'three' }
        ;(await trial.call('POST /contact-properties', { body })).fails(422, 'validation_error')
      },
    },
    ...listCases({
      ...{ id: 'contact-properties', operation: 'GET /contact-properties', item: PROPERTY, page: 20 },
      make: async (trial) => (await trial.made('POST /contact-properties', { body: propertyBody(trial) })).id,
    }),
    ...everyOperationCases('contact-properties'),
  ],
}
