import Type, { type Static } from 'typebox'
import type { Actor } from '../../../kernel/http/actor.ts'
import { JsonText } from '../../../kernel/http/endpoint.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { findRow } from '../../../kernel/http/rows.ts'
import { IdParams, present, withoutPrefix } from '../../../kernel/http/shapes.ts'
import { endpoint, list } from '../../definitions.ts'
import { MESSAGE_PREFIX, messageBody } from '../delivery/message.ts'
import { WEBHOOKS_CHANNEL } from '../delivery/queries.ts'
import { wantReplay } from '../delivery/replay.ts'
import { webhookRows } from '../queries.ts'
import {
  ATTEMPT_PREFIX,
  EventId,
  WebhookAttempt,
  WebhookEvent,
  WebhookEventItem,
  WebhookEventReference,
  type WebhookItem,
} from '../schema.ts'
import { attemptRows, eventRows, findEvent } from './queries.ts'
import type { WebhooksEventsServices } from './services.ts'

const EventParams = Type.Object({ ...IdParams.properties, eventId: EventId })

export const webhookEventEndpoints = [
  list({
    id: 'webhooks.events.list',
    route: 'GET /webhooks/:id/events',
    summary: 'List the events of a webhook',
    params: IdParams,
    item: WebhookEventItem,
    prefix: MESSAGE_PREFIX,
    unlimited: 20,
    async rows({ params, services, actor }) {
      await requireWebhook(services, actor, params.id)
      return eventRows(actor.team, params.id)
    },
  }),
  endpoint({
    id: 'webhooks.events.get',
    route: 'GET /webhooks/:id/events/:eventId',
    summary: 'Retrieve a webhook event',
    params: EventParams,
    reply: WebhookEvent,
    async run({ params, services, actor }) {
      await requireWebhook(services, actor, params.id)
      const eventId = withoutPrefix(MESSAGE_PREFIX, params.eventId)
      const event = found(await findEvent(services.db, actor.team, params.id, eventId), 'Webhook event')
      const { createdAt, data, ...item } = event
      // The payload is shown byte by byte as it is posted.
      const head = JSON.stringify(present('webhook_event', item)).slice(0, -1)
      return new JsonText(`${head},"payload":${messageBody({ type: item.type, createdAt, data })}}`)
    },
  }),
  list({
    id: 'webhooks.events.attempts.list',
    route: 'GET /webhooks/:id/events/:eventId/attempts',
    summary: 'List the delivery attempts of a webhook event',
    params: EventParams,
    item: WebhookAttempt,
    prefix: ATTEMPT_PREFIX,
    unlimited: 20,
    async rows({ params, services, actor }) {
      await requireWebhook(services, actor, params.id)
      const eventId = withoutPrefix(MESSAGE_PREFIX, params.eventId)
      found(await findEvent(services.db, actor.team, params.id, eventId), 'Webhook event')
      return attemptRows(actor.team, params.id, eventId)
    },
  }),
  endpoint({
    id: 'webhooks.events.replay',
    route: 'POST /webhooks/:id/events/:eventId/replay',
    summary: 'Replay a webhook event',
    params: EventParams,
    reply: WebhookEventReference,
    async run({ params, services, actor }) {
      const { status } = await requireWebhook(services, actor, params.id)
      const { db, clock } = services
      const { team } = actor
      const eventId = withoutPrefix(MESSAGE_PREFIX, params.eventId)
      if (status === 'disabled')
        throw new Problem('validation_error', 'The webhook is disabled. Enable it to replay its events.')
      found(await wantReplay(db, team, { webhookId: params.id, eventId, now: clock.now() }), 'Webhook event')
      db.signals.announce(WEBHOOKS_CHANNEL)
      return { object: 'webhook_event' as const, id: `${MESSAGE_PREFIX}${eventId}` }
    },
  }),
]

async function requireWebhook({ db }: WebhooksEventsServices, { team }: Actor, id: string) {
  return found(await findRow<Static<typeof WebhookItem>>(db, webhookRows(team), id), 'Webhook')
}
