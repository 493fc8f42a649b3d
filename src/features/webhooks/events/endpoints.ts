import Type, { type Static } from 'typebox'
import type { Actor } from '../../../kernel/http/actor.ts'
import { JsonText } from '../../../kernel/http/endpoint.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { findRow } from '../../../kernel/http/rows.ts'
import { IdParams, present, reference, withoutPrefix } from '../../../kernel/http/shapes.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { firstIdAt, newId } from '../../../platform/ids.ts'
import { endpoint, list } from '../../definitions.ts'
import { replayMissedEvents } from '../delivery/jobs.ts'
import { MESSAGE_PREFIX, messageBody } from '../delivery/message.ts'
import { WEBHOOKS_CHANNEL } from '../delivery/queries.ts'
import { wantReplay } from '../delivery/replay.ts'
import { insertTestEvent } from '../delivery/sample-deliveries.ts'
import { webhookRows } from '../queries.ts'
import { sampleData } from '../sample-events.ts'
import {
  ATTEMPT_PREFIX,
  EventId,
  ReplayFailed,
  TestWebhook,
  WebhookAttempt,
  WebhookEvent,
  WebhookEventFilter,
  WebhookEventItem,
  WebhookEventReference,
  type WebhookItem,
  WebhookReference,
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
    query: WebhookEventFilter,
    item: WebhookEventItem,
    prefix: MESSAGE_PREFIX,
    unlimited: 20,
    async rows({ params, query, services, actor }) {
      await requireWebhook(services, actor, params.id)
      return eventRows(services.db, actor.team, params.id, query)
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
      const { createdAt, data, postedType, ...item } = event
      // The payload is shown byte by byte as it is posted.
      const head = JSON.stringify(present('webhook_event', item)).slice(0, -1)
      return new JsonText(`${head},"payload":${messageBody({ type: postedType, createdAt, data })}}`)
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
    id: 'webhooks.events.replay-failed',
    route: 'POST /webhooks/:id/events/replay-failed',
    summary: 'Replay all failed events of a webhook',
    description:
      'One more attempt for each event that failed or waits for a retry, in the background. Test events are left out.',
    params: IdParams,
    body: ReplayFailed,
    reply: WebhookReference,
    async run({ params, body, services: { db }, services, actor }) {
      requireEnabled(await requireWebhook(services, actor, params.id))
      const own = db.clock.of(actor.team)
      const range = {
        webhookId: params.id,
        from: firstIdAt(new Date(body.since ?? 0), actor.team),
        to: newId(own),
      }
      await db.transaction((trx) =>
        enqueue(trx, replayMissedEvents, { team: actor.team, ...range }, { key: params.id }),
      )
      return reference('webhook', params.id)
    },
  }),
  endpoint({
    id: 'webhooks.test',
    route: 'POST /webhooks/:id/test',
    summary: 'Send a test event to a webhook',
    description:
      'A signed event with sample data, to this webhook only and whatever events it selects. Its payload has `test: true`. It is attempted once.',
    params: IdParams,
    body: TestWebhook,
    reply: WebhookEventReference,
    async run({ params, body, services: { db }, services, actor }) {
      requireEnabled(await requireWebhook(services, actor, params.id))
      const at = db.clock.of(actor.team).now().toISOString()
      const event = { webhookId: params.id, type: body.type, data: sampleData(body.type, at) }
      const id = await db.transaction((trx) => insertTestEvent(trx, actor.team, event))
      db.signals.announce(WEBHOOKS_CHANNEL)
      return { object: 'webhook_event' as const, id: `${MESSAGE_PREFIX}${id}` }
    },
  }),
  endpoint({
    id: 'webhooks.events.replay',
    route: 'POST /webhooks/:id/events/:eventId/replay',
    summary: 'Replay a webhook event',
    params: EventParams,
    reply: WebhookEventReference,
    async run({ params, services, actor }) {
      requireEnabled(await requireWebhook(services, actor, params.id))
      const { db, clock } = services
      const { team } = actor
      const eventId = withoutPrefix(MESSAGE_PREFIX, params.eventId)
      found(await wantReplay(db, team, { webhookId: params.id, eventId, now: clock.now() }), 'Webhook event')
      db.signals.announce(WEBHOOKS_CHANNEL)
      return { object: 'webhook_event' as const, id: `${MESSAGE_PREFIX}${eventId}` }
    },
  }),
]

function requireEnabled({ status }: Static<typeof WebhookItem>) {
  if (status === 'disabled')
    throw new Problem('validation_error', 'The webhook is disabled. Enable it to send events to it.')
}

async function requireWebhook({ db }: WebhooksEventsServices, { team }: Actor, id: string) {
  return found(await findRow<Static<typeof WebhookItem>>(db, webhookRows(team), id), 'Webhook')
}
