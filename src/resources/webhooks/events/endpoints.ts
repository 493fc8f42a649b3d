import Type, { type Static } from 'typebox'
import { type Context, endpoint, JsonText } from '../../../http/endpoint.ts'
import { list } from '../../../http/list.ts'
import { found, Problem } from '../../../http/problem.ts'
import { findRow } from '../../../http/rows.ts'
import { IdParams, present, withoutPrefix } from '../../../http/shapes.ts'
import { MESSAGE_PREFIX, messageBody } from '../../../webhooks/message.ts'
import { WEBHOOKS_CHANNEL } from '../../../webhooks/queries.ts'
import { wantReplay } from '../../../webhooks/replay.ts'
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
    async rows({ params, context }) {
      await requireWebhook(context, params.id)
      return eventRows(context.team, params.id)
    },
  }),
  endpoint({
    id: 'webhooks.events.get',
    route: 'GET /webhooks/:id/events/:eventId',
    summary: 'Retrieve an event of a webhook with what is posted',
    params: EventParams,
    reply: WebhookEvent,
    async run({ params, context }) {
      await requireWebhook(context, params.id)
      const eventId = withoutPrefix(MESSAGE_PREFIX, params.eventId)
      const event = found(await findEvent(context.db, context.team, params.id, eventId), 'Webhook event')
      const { createdAt, data, ...item } = event
      // The payload is shown byte by byte as it is posted.
      const head = JSON.stringify(present('webhook_event', item)).slice(0, -1)
      return new JsonText(`${head},"payload":${messageBody({ type: item.type, createdAt, data })}}`)
    },
  }),
  list({
    id: 'webhooks.events.attempts.list',
    route: 'GET /webhooks/:id/events/:eventId/attempts',
    summary: 'List the attempts to deliver an event',
    params: EventParams,
    item: WebhookAttempt,
    prefix: ATTEMPT_PREFIX,
    unlimited: 20,
    async rows({ params, context }) {
      await requireWebhook(context, params.id)
      const eventId = withoutPrefix(MESSAGE_PREFIX, params.eventId)
      found(await findEvent(context.db, context.team, params.id, eventId), 'Webhook event')
      return attemptRows(context.team, params.id, eventId)
    },
  }),
  endpoint({
    id: 'webhooks.events.replay',
    route: 'POST /webhooks/:id/events/:eventId/replay',
    summary: 'Deliver an event once more',
    params: EventParams,
    reply: WebhookEventReference,
    async run({ params, context }) {
      const { status } = await requireWebhook(context, params.id)
      const { db, team, clock } = context
      const eventId = withoutPrefix(MESSAGE_PREFIX, params.eventId)
      if (status === 'disabled')
        throw new Problem('validation_error', 'The webhook is disabled. Enable it to replay its events.')
      found(await wantReplay(db, team, { webhookId: params.id, eventId, now: clock.now() }), 'Webhook event')
      db.signals.announce(WEBHOOKS_CHANNEL)
      return { object: 'webhook_event' as const, id: `${MESSAGE_PREFIX}${eventId}` }
    },
  }),
]

async function requireWebhook({ db, team }: Context, id: string) {
  return found(await findRow<Static<typeof WebhookItem>>(db, webhookRows(team), id), 'Webhook')
}
