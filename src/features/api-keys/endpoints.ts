import { forgetKeys } from '../../kernel/http/auth.ts'
import { found } from '../../kernel/http/problem.ts'
import { deletion, IdParams, present, reference } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { activityOf } from '../policies/activity.ts'
import { hintIn } from '../policies/hint.ts'
import { addApiKey, changeApiKey, removeApiKey } from './actions.ts'
import { apiKeyDetailRows, apiKeyRows, findApiKey, findPermission, findUses } from './queries.ts'
import {
  ApiKeyDetails,
  ApiKeyItem,
  ApiKeyReference,
  ApiKeyUses,
  CreateApiKey,
  CreatedApiKey,
  DeletedApiKey,
  RetrievedApiKey,
  UpdateApiKey,
} from './schema.ts'
import { newToken } from './token.ts'

export const apiKeyEndpoints = [
  endpoint({
    id: 'api-keys.create',
    access: 'keys',
    route: 'POST /api-keys',
    summary: 'Create an API key',
    status: 201,
    body: CreateApiKey,
    reply: CreatedApiKey,
    async run({ body, services, actor }) {
      const token = newToken(services.config)
      const made = reference('api_key', await addApiKey(services, actor, body, token))
      return { ...made, token, ...(await hintIn(services.db, actor.team, body.policy)) }
    },
  }),
  list({
    id: 'api-keys.list',
    route: 'GET /api-keys',
    summary: 'List API keys',
    item: ApiKeyItem,
    unlimited: 'all',
    async rows({ services, actor }) {
      // So that a key shows its use right after it, at least to those who ask the process that served it.
      await services.lastUsed.flush()
      return apiKeyRows(actor.team)
    },
  }),
  list({
    id: 'api-keys.details.list',
    route: 'GET /api-keys/details',
    summary: 'List API keys with their details',
    description: 'Like `GET /api-keys`, with permission, last characters of the token, expiry and creator.',
    item: ApiKeyDetails,
    unlimited: 'all',
    async rows({ services, actor }) {
      await services.lastUsed.flush()
      return apiKeyDetailRows(actor.team)
    },
  }),
  endpoint({
    id: 'api-keys.update',
    access: 'keys',
    route: 'PATCH /api-keys/:id',
    summary: 'Update an API key',
    description:
      'Its name, or its policy: `null` removes it. A change counts for all mail that is accepted after it; scheduled mail that it does not allow waits for approval.',
    params: IdParams,
    body: UpdateApiKey,
    reply: ApiKeyReference,
    async run({ params: { id }, body, services, actor }) {
      await changeApiKey(services, actor, id, body)
      // A key is guarded, or not any more, from the next request on; in other processes within a second.
      if (body.policy !== undefined) forgetKeys(services)
      return { ...reference('api_key', id), ...(await hintIn(services.db, actor.team, body.policy)) }
    },
  }),
  endpoint({
    id: 'api-keys.get',
    route: 'GET /api-keys/:id',
    summary: 'Retrieve an API key',
    params: IdParams,
    reply: RetrievedApiKey,
    async run({ params: { id }, services, actor: { team } }) {
      await services.lastUsed.flush()
      return present('api_key', found(await findApiKey(services.db, team, id), 'API key'))
    },
  }),
  endpoint({
    id: 'api-keys.remove',
    access: 'keys',
    route: 'DELETE /api-keys/:id',
    summary: 'Delete an API key',
    params: IdParams,
    reply: DeletedApiKey,
    async run({ params, services, actor }) {
      await removeApiKey(services, actor, params.id)
      forgetKeys(services)
      return deletion('api_key', params.id)
    },
  }),
  endpoint({
    id: 'api-keys.activity',
    route: 'GET /api-keys/:id/activity',
    summary: 'Retrieve what an API key did under its policy',
    params: IdParams,
    ...activityOf('api_key', async (db, team, { id }: { id: string }) => {
      found(await findPermission(db, team, id), 'API key')
      return id
    }),
  }),
  endpoint({
    id: 'api-keys.uses',
    route: 'GET /api-keys/:id/uses',
    summary: 'Retrieve the usage of an API key',
    description: 'Requests and SMTP messages on each of the last 30 days.',
    params: IdParams,
    reply: ApiKeyUses,
    async run({ params: { id }, services: { db, clock, lastUsed }, actor: { team } }) {
      await lastUsed.flush()
      const uses = await findUses(db, team, id, clock.of(team).now())
      return { object: 'api_key_uses' as const, id, data: found(uses.length > 0 && uses, 'API key') }
    },
  }),
]
