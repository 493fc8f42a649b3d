import type { Case, Group } from '../suite/case.ts'
import type { Fixture } from '../suite/case-run.ts'
import { absent, apiKey, is, listOf, nullable, optional, string, timestamp, uuid } from '../suite/shape.ts'
import { everyOperationCases } from './every-operation.ts'
import { cursorCases, listCases } from './lists.ts'

const ITEM = { id: uuid, name: string, created_at: timestamp, last_used_at: nullable(timestamp), token: absent }

const made: Fixture<{ id: string; token: string }> = {
  make: (trial) => trial.made('POST /api-keys', { body: { name: trial.fresh() } }),
}

const cases: Case[] = [
  {
    ...{ id: 'api-keys.create', title: 'makes a key, and shows it once', operation: 'POST /api-keys' },
    async run(trial) {
      const answer = await trial.call('POST /api-keys', { body: { name: trial.fresh(), permission: 'full_access' } })
      const { token } = answer.is(201, { id: uuid, token: apiKey })
      ;(await trial.call('GET /domains', { query: 'limit=1', key: token })).is(200, listOf({}))
    },
  },
  {
    ...{ id: 'api-keys.update', title: 'renames a key', operation: 'PATCH /api-keys/:id' },
    async run(trial) {
      const { id } = await trial.need(made)
      const name = trial.fresh()
      const answer = await trial.call('PATCH /api-keys/:id', { params: { id }, body: { name } })
      answer.is(200, { object: is('api_key'), id: is(id) })
      const { data = [] } = (await trial.call('GET /api-keys')).is(200, listOf(ITEM))
      const found = data.find((item: { id: string }) => item.id === id)
      trial.check('GET /api-keys', { expected: `name: ${name}`, isTrue: found?.name === name, actual: found })
    },
  },
  {
    ...{ id: 'api-keys.delete', title: 'a deleted key opens nothing', operation: 'DELETE /api-keys/:id' },
    async run(trial) {
      const { id, token } = await trial.made('POST /api-keys', { body: { name: trial.fresh() } })
      const answer = await trial.call('DELETE /api-keys/:id', { params: { id } })
      answer.is(200, { object: optional(string), id: is(id), deleted: is(true) })
      const refused = await trial.call('GET /domains', { key: token })
      refused.fails([400, 401, 403], ['invalid_api_key', 'validation_error', 'restricted_api_key'])
    },
  },
  {
    ...{ id: 'api-keys.long-name', title: 'refuses a name of more than 50 characters', operation: 'POST /api-keys' },
    async run(trial) {
      const answer = await trial.call('POST /api-keys', { body: { name: trial.fresh().padEnd(51, 'x') } })
      answer.fails(422, 'validation_error')
    },
  },
  {
    ...{ id: 'api-keys.bad-permission', title: 'refuses a permission that is none', operation: 'POST /api-keys' },
    async run(trial) {
      const answer = await trial.call('POST /api-keys', { body: { name: trial.fresh(), permission: 'everything' } })
      answer.fails(422, ['validation_error', 'invalid_access', 'invalid_parameter'])
    },
  },
]

export const keys: Group = {
  id: 'api-keys',
  title: 'API keys',
  cases: [
    ...cases,
    ...listCases({
      ...{ id: 'api-keys', operation: 'GET /api-keys', item: ITEM, page: 'all' },
      make: async (trial) => (await trial.made('POST /api-keys', { body: { name: trial.fresh() } })).id,
    }),
    ...everyOperationCases('api-keys'),
  ],
}

const GRANT = {
  ...{ id: uuid, client_id: string, created_at: timestamp, revoked_at: nullable(timestamp) },
  ...{
    revoked_reason: nullable(string),
    resource: nullable(string),
    client: { name: string, logo_uri: nullable(string) },
  },
}

export const oauth: Group = {
  id: 'oauth',
  title: 'OAuth grants',
  cases: [
    {
      ...{ id: 'oauth.list', title: 'lists what people have granted', operation: 'GET /oauth/grants' },
      async run(trial) {
        ;(await trial.call('GET /oauth/grants')).is(200, listOf(GRANT))
      },
    },
    ...cursorCases({ id: 'oauth', operation: 'GET /oauth/grants' }, (trial, query) =>
      trial.call('GET /oauth/grants', { query }),
    ),
    ...everyOperationCases('oauth'),
  ],
}
