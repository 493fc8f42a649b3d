import Type from 'typebox'

// The shapes of /webhooks, by the contract.

/** In the order in which they are offered. */
export const WEBHOOK_EVENTS = [
  ...[
    'email.sent',
    'email.scheduled',
    'email.delivered',
    'email.delivery_delayed',
    'email.bounced',
    'email.complained',
  ],
  ...['email.opened', 'email.clicked', 'email.failed', 'email.suppressed', 'email.received'],
  ...['contact.created', 'contact.updated', 'contact.deleted', 'contact.topics.updated'],
  ...['domain.created', 'domain.updated', 'domain.deleted'],
  ...['suppression.added', 'suppression.removed', 'topic.created', 'topic.updated', 'topic.deleted'],
]

export interface WebhookRow {
  readonly id: string
  readonly endpoint: string
  readonly events: readonly string[] | null
  readonly status: 'enabled' | 'disabled'
  readonly created_at: string
}

export interface Webhook extends WebhookRow {
  readonly signing_secret: string
}

export interface WebhookEventRow {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly created_at: string
}

export interface WebhookEvent extends WebhookEventRow {
  readonly next_attempt_at: string | null
  readonly payload: unknown
}

export interface WebhookAttempt {
  readonly id: string
  readonly http_status_code: number
  readonly response: string
  readonly sent_at: string
}

export const EndpointForm = Type.Object({
  endpoint: Type.String({
    maxLength: 2_048,
    pattern: 'https?://.+',
    description: 'an address with http:// or https://',
  }),
})
