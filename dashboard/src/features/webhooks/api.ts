import type { Static } from 'typebox'
import type {
  Webhook,
  WebhookAttempt,
  WebhookEvent,
  WebhookEventItem,
  WebhookItem,
} from '../../../../src/resources/webhooks/schema.ts'

export type WebhookRow = Static<typeof WebhookItem>
export type FullWebhook = Static<typeof Webhook>
export type EventRow = Static<typeof WebhookEventItem>
export type FullEvent = Static<typeof WebhookEvent>
export type Attempt = Static<typeof WebhookAttempt>
export type EventName = EventRow['type']
