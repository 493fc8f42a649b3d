import Type, { type Static } from 'typebox'
import { Id, IsoTimestamp, nullable, oneOf } from '../../../kernel/http/shapes.ts'
import { REPLY_ABOUT, REPLY_CLASSES, REPLY_MEANS } from '../../../mail/reply-class.ts'
import { TLS_POLICIES } from '../delivery/outcomes/attempt-facts.ts'

/** What was said over the wire. */
const DialogueLine = Type.Object({
  ms: nullable(Type.Integer({ description: 'Since the attempt began. Null: lines were left out here.' })),
  from: oneOf(['client', 'server', 'note']),
  text: Type.String(),
})

const TraceAttempt = Type.Object(
  {
    attempt: nullable(
      Type.Integer({
        description: 'Which one of the recipient. Known of one that was taken, and of the last that were not.',
      }),
    ),
    outcome: oneOf(['delivered', 'deferred', 'bounced', 'suppressed', 'failed', 'canceled']),
    reply: Type.String(),
    class: nullable(oneOf(REPLY_CLASSES)),
    rule: nullable(Type.String()),
    about: nullable(oneOf(REPLY_ABOUT)),
    means: nullable(oneOf(REPLY_MEANS)),
    route: nullable(Type.String()),
    destination: nullable(Type.String()),
    servers: Type.Array(Type.String(), { description: 'The mail servers that DNS named, best first.' }),
    host: nullable(Type.String()),
    address: nullable(Type.String()),
    source: nullable(Type.String({ description: 'The IP address that the mail left from.' })),
    helo: nullable(Type.String()),
    tls: nullable(Type.String({ description: 'Version and cipher. Null: not encrypted, or nobody was asked.' })),
    tls_policy: nullable(oneOf(TLS_POLICIES)),
    duration_ms: nullable(Type.Integer()),
    connected_ms: nullable(Type.Integer({ description: 'Since the attempt began.' })),
    sent_ms: nullable(Type.Integer({ description: 'Since the attempt began: the whole message had been sent.' })),
    dialogue: Type.Array(DialogueLine, {
      description:
        'Of the last attempts that were not taken. Logins are blanked. Of one that was taken the verbs of commands and the codes of replies: a command has the time of the reply before it.',
    }),
  },
  { title: 'TraceAttempt' },
)
export type TraceAttempt = Static<typeof TraceAttempt>

const TraceWebhook = Type.Object(
  {
    webhook_id: Id,
    endpoint: Type.String(),
    event: Type.String(),
    http_status_code: nullable(Type.Integer()),
    error: nullable(Type.String()),
    duration_ms: Type.Integer(),
  },
  { title: 'TraceWebhook' },
)

const TraceRequest = Type.Object(
  {
    log_id: Id,
    method: Type.String(),
    endpoint: Type.String(),
    response_status: Type.Integer(),
    duration_ms: nullable(Type.Integer()),
  },
  { title: 'TraceRequest' },
)
export type TraceRequest = Static<typeof TraceRequest>

export const TRACE_KINDS = [
  'request',
  'accepted',
  'scheduled',
  'attempt',
  'event',
  'webhook',
  'held',
  'waiting',
] as const

const TraceEntry = Type.Object(
  {
    at: IsoTimestamp,
    kind: oneOf(TRACE_KINDS),
    recipients: Type.Array(Type.String(), { description: 'Whom it is about. Empty: all of them.' }),
    summary: Type.String({ description: 'In words.' }),
    request: nullable(TraceRequest),
    attempt: nullable(TraceAttempt),
    webhook: nullable(TraceWebhook),
    event: nullable(Type.Object({ type: Type.String(), data: Type.Unknown() })),
  },
  { title: 'TraceEntry' },
)
export type TraceEntry = Static<typeof TraceEntry>

const TraceRecipient = Type.Object(
  {
    recipient: Type.String(),
    state: oneOf(['waiting', 'delivered', 'bounced', 'suppressed', 'failed', 'canceled']),
    attempts: Type.Integer(),
    destination: nullable(
      Type.String({ description: 'The provider or mail servers that it goes to, while it waits.' }),
    ),
    route: nullable(Type.String({ description: 'The route that an operator has moved it to.' })),
    next_attempt_at: nullable(IsoTimestamp),
  },
  { title: 'TraceRecipient' },
)

export const EmailTrace = Type.Object(
  {
    object: Type.Literal('email_trace'),
    id: Id,
    idempotency_key: nullable(Type.String({ description: 'Of the request, while it is kept (24 hours).' })),
    recipients: Type.Array(TraceRecipient),
    timeline: Type.Array(TraceEntry, { description: 'The oldest first.' }),
    is_complete: Type.Boolean({ description: 'Whether all events are shown.' }),
  },
  { title: 'EmailTrace' },
)
export type EmailTrace = Static<typeof EmailTrace>
