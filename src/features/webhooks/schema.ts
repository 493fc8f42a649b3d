import Type from 'typebox'
import {
  deletedOf,
  givenMoment,
  Id,
  nullable,
  objectOf,
  oneOf,
  prefixedId,
  referenceTo,
  SECRET,
  Timestamp,
} from '../../kernel/http/shapes.ts'
import { MESSAGE_PREFIX } from './delivery/message.ts'

/** Every kind of event that a webhook may ask for. */
export const WEBHOOK_EVENTS = [
  'email.sent',
  'email.scheduled',
  'email.delivered',
  'email.delivery_delayed',
  'email.complained',
  'email.bounced',
  'email.opened',
  'email.clicked',
  'email.received',
  'email.failed',
  'email.suppressed',
  'approval.requested',
  'approval.approved',
  'approval.refused',
  'approval.expired',
  'broadcast.paused',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.topics.updated',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  'domain.degraded',
  'domain.recovered',
  'suppression.added',
  'suppression.removed',
  'topic.created',
  'topic.updated',
  'topic.deleted',
  'inbox.created',
  'inbox.updated',
  'inbox.deleted',
  'inbox.thread.created',
  'inbox.thread.folder.updated',
  'inbox.thread.assigned',
  'inbox.thread.unassigned',
  'inbox.thread.labels.updated',
  'inbox.email.received',
  'inbox.email.sent',
  'inbox.draft.created',
  'inbox.draft.updated',
  'inbox.draft.sent',
  'inbox.draft.deleted',
] as const

const EVENT_STATUSES = ['pending', 'attempting', 'success', 'failed'] as const

const STATUSES = ['enabled', 'disabled'] as const

const Url = Type.String({ maxLength: 2_048, examples: ['https://example.com/hooks/mail'] })
const Events = Type.Array(oneOf(WEBHOOK_EVENTS), { minItems: 1, maxItems: 100 })
const SigningSecret = Type.String({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], ...SECRET })

export const WebhookItem = Type.Object(
  { id: Id, created_at: Timestamp, status: oneOf(STATUSES), endpoint: Url, events: nullable(Events) },
  { title: 'WebhookItem' },
)

export const Webhook = Type.Object(
  { ...objectOf('webhook', WebhookItem).properties, signing_secret: SigningSecret },
  { title: 'Webhook' },
)

export const CreateWebhook = Type.Object({ endpoint: Url, events: Events }, { title: 'CreateWebhook' })

export const UpdateWebhook = Type.Object(
  { endpoint: Type.Optional(Url), events: Type.Optional(Events), status: Type.Optional(oneOf(STATUSES)) },
  { title: 'UpdateWebhook' },
)

export const WebhookReference = referenceTo('webhook')
export const WebhookWithSecret = Type.Object({ ...WebhookReference.properties, signing_secret: SigningSecret })
export const DeletedWebhook = deletedOf('webhook')

/** The id that the `svix-id` header has. */
export const EventId = prefixedId(MESSAGE_PREFIX)
export const ATTEMPT_PREFIX = 'atmpt_'

export const WebhookEventItem = Type.Object(
  {
    id: EventId,
    type: oneOf(WEBHOOK_EVENTS),
    created_at: Timestamp,
    status: oneOf(EVENT_STATUSES),
    failed_attempts: Type.Integer({ description: 'Without replays.' }),
    next_attempt_at: nullable(Timestamp),
    last_status_code: nullable(Type.Integer({ description: '0 without a response, null before the first attempt.' })),
    last_duration_ms: nullable(Type.Integer({ description: 'How long the last attempt took.' })),
    is_test: Type.Boolean(),
  },
  { title: 'WebhookEventItem' },
)

export const WebhookEventFilter = Type.Object({
  /** `failing`: pending after a failed attempt. */
  status: Type.Optional(oneOf([...EVENT_STATUSES, 'failing'])),
  type: Type.Optional(oneOf(WEBHOOK_EVENTS)),
})

export const ReplayFailed = Type.Object(
  { since: Type.Optional(givenMoment('Only events from this moment on.')) },
  { title: 'ReplayFailedWebhookEvents' },
)

export const TestWebhook = Type.Object({ type: oneOf(WEBHOOK_EVENTS) }, { title: 'TestWebhook' })

export const WebhookEvent = Type.Object(
  {
    ...objectOf('webhook_event', WebhookEventItem).properties,
    payload: Type.Object({
      type: oneOf(WEBHOOK_EVENTS),
      created_at: Type.String({ format: 'date-time' }),
      data: Type.Unknown(),
      test: Type.Optional(Type.Literal(true, { description: 'Only of test events.' })),
    }),
  },
  { title: 'WebhookEvent' },
)

export const WebhookEventReference = Type.Object({ object: Type.Literal('webhook_event'), id: EventId })

export const WebhookAttempt = Type.Object(
  {
    id: prefixedId(ATTEMPT_PREFIX),
    http_status_code: Type.Integer({ description: '0 without a response.' }),
    response: Type.String({ description: 'First 64 KB of the response, or the error.' }),
    duration_ms: Type.Integer(),
    sent_at: Timestamp,
  },
  { title: 'WebhookAttempt' },
)

/** How far back the health of a webhook looks. A hundred webhooks, which is all that a team may have, all of them failing: 0.2 s. */
export const RECENT_EVENTS = 100

const Retry = Type.Object({
  event_id: EventId,
  attempts: Type.Integer({ description: 'Made so far.' }),
  next_attempt_at: nullable(Timestamp),
})

export const WebhookHealth = Type.Object(
  {
    id: Id,
    failing_since: nullable(Timestamp),
    events: Type.Integer({ description: `Of the newest ${RECENT_EVENTS} events, those that were tried.` }),
    failed: Type.Integer({ description: 'Those not delivered.' }),
    last_status_code: nullable(Type.Integer({ description: '0 without a response.' })),
    last_attempt_at: nullable(Timestamp),
    max_attempts: Type.Integer(),
    retries: Type.Array(Retry, { description: 'Events waiting for a retry, newest first.' }),
  },
  { title: 'WebhookHealth' },
)
