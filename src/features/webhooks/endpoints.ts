import type { Static } from 'typebox'
import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { deletion, IdParams, present } from '../../kernel/http/shapes.ts'
import { endpoint, list, referenceAfter } from '../definitions.ts'
import { addWebhook, changeWebhook, readSecret, removeWebhook, rotateSecret } from './actions.ts'
import { webhookHealthEndpoint } from './health.ts'
import { webhookRows } from './queries.ts'
import {
  CreateWebhook,
  DeletedWebhook,
  UpdateWebhook,
  Webhook,
  WebhookItem,
  WebhookReference,
  WebhookWithSecret,
} from './schema.ts'

export const webhookEndpoints = [
  endpoint({
    id: 'webhooks.create',
    route: 'POST /webhooks',
    summary: 'Create a webhook',
    status: 201,
    body: CreateWebhook,
    reply: WebhookWithSecret,
    run: ({ body, services, actor }) => addWebhook(services, actor, body),
  }),
  list({
    id: 'webhooks.list',
    route: 'GET /webhooks',
    summary: 'List webhooks',
    item: WebhookItem,
    unlimited: 20,
    rows: ({ actor }) => webhookRows(actor.team),
  }),
  webhookHealthEndpoint,
  endpoint({
    id: 'webhooks.get',
    access: 'secret',
    route: 'GET /webhooks/:id',
    summary: 'Retrieve a webhook',
    params: IdParams,
    reply: Webhook,
    async run({ params, services, actor }) {
      const webhook = await findRow<Static<typeof WebhookItem>>(services.db, webhookRows(actor.team), params.id)
      const shown = present('webhook', found(webhook, 'Webhook'))
      return { ...shown, signing_secret: await readSecret(services, actor, params.id) }
    },
  }),
  endpoint({
    id: 'webhooks.update',
    route: 'PATCH /webhooks/:id',
    summary: 'Update a webhook',
    params: IdParams,
    body: UpdateWebhook,
    reply: WebhookReference,
    run: referenceAfter('webhook', changeWebhook),
  }),
  endpoint({
    id: 'webhooks.remove',
    route: 'DELETE /webhooks/:id',
    summary: 'Delete a webhook',
    params: IdParams,
    reply: DeletedWebhook,
    async run({ params, services, actor }) {
      await removeWebhook(services, actor, params.id)
      return deletion('webhook', params.id)
    },
  }),
  endpoint({
    id: 'webhooks.signing-secret.rotate',
    route: 'POST /webhooks/:id/signing-secret/rotate',
    summary: 'Rotate the signing secret of a webhook',
    description: 'The old secret stays valid for 24 hours.',
    params: IdParams,
    reply: WebhookWithSecret,
    run: ({ params, services, actor }) => rotateSecret(services, actor, params.id),
  }),
]
