import Type, { type Static } from 'typebox'
import {
  ABSENT_IF_EMPTY,
  AddressPart,
  BULKY,
  BYTES,
  Id,
  nullable,
  oneOf,
  referenceTo,
  searchText,
  Timestamp,
} from '../../kernel/http/shapes.ts'
import { LAST_EVENTS } from '../../mail/last-event.ts'
import { MAX_SUBJECT_LENGTH } from '../../mail/limits.ts'
import { BOUNCE_SUBTYPES, BOUNCE_TYPES } from '../../mail/outcome.ts'
import { REPLY_ABOUT, REPLY_CLASSES, REPLY_MEANS } from '../../mail/reply-class.ts'

const MAX_RECIPIENTS = 50
export const MAX_ATTACHMENTS = 100
const Addresses = Type.Array(Type.String())
const SomeAddresses = [Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: MAX_RECIPIENTS })] as const
const OneOrMore = Type.Union([...SomeAddresses])
const IfAny = Type.Union([...SomeAddresses], ABSENT_IF_EMPTY)

export const Tag = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'ASCII letters, digits, `_`, `-`',
  }),
  value: Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'ASCII letters, digits, `_`, `-`',
  }),
})

/** Base64, text, what JSON makes of a Buffer, or a list of bytes: clients send all of them. Long lists reach us as base64. */
const Content = Type.Union(
  [
    Type.String(),
    Type.Object({ type: Type.Literal('Buffer'), data: Type.Array(Type.Integer()) }),
    Type.Array(Type.Integer()),
  ],
  { ...BULKY, ...BYTES, description: 'Base64, or a list of bytes. Text that is not base64 is used as it is.' },
)

export const AttachmentInput = Type.Object({
  content: Type.Optional(Content),
  path: Type.Optional(
    Type.String({ ...ABSENT_IF_EMPTY, maxLength: 8_192, description: 'A URL that the server downloads.' }),
  ),
  filename: Type.Optional(Type.Union([Type.String({ maxLength: 255 }), Type.Literal(false)])),
  content_type: Type.Optional(Type.String({ ...ABSENT_IF_EMPTY, maxLength: 255 })),
  content_id: Type.Optional(Type.String({ ...ABSENT_IF_EMPTY, maxLength: 127 })),
  inline_content_id: Type.Optional(Type.String({ maxLength: 127 })),
})

/** Which fields are a must depends on the template, so that is checked in `compose.ts`, in the order that clients know. */
export const SendEmail = Type.Object(
  {
    from: Type.Optional(Type.String()),
    to: Type.Optional(OneOrMore),
    cc: Type.Optional(IfAny),
    bcc: Type.Optional(IfAny),
    reply_to: Type.Optional(IfAny),
    subject: Type.Optional(Type.String({ maxLength: MAX_SUBJECT_LENGTH })),
    html: Type.Optional(Type.String(BULKY)),
    text: Type.Optional(
      Type.String({ ...BULKY, description: 'Generated from the html when omitted; `""` sends none.' }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Additional headers. Those that the service sets, like `Date` and `Message-ID`, are ignored.',
      }),
    ),
    attachments: Type.Optional(Type.Array(AttachmentInput, { maxItems: MAX_ATTACHMENTS })),
    tags: Type.Optional(Type.Array(Tag, { maxItems: 75 })),
    scheduled_at: Type.Optional(
      Type.String({
        description:
          'ISO 8601, or words like `in 1 hour` or `tomorrow at 9am Asia/Tokyo`. UTC without a time zone. At most 30 days ahead.',
      }),
    ),
    topic_id: Type.Optional(Id),
    template: Type.Optional(
      Type.Object({ id: Type.String(), variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }),
    ),
  },
  { title: 'SendEmail' },
)

export type EmailRequest = Static<typeof SendEmail>

export const SentEmail = Type.Object({ id: Id })

/** Each email is looked at by itself, so that in a permissive batch one mistake costs one email. */
const BATCH = { minItems: 1, maxItems: 100 }

/** A batch as it is checked before its emails are, one by one. */
export const SendBatch = Type.Array(Type.Unknown(), BATCH)

/** A batch as callers know it. */
export const SendEmails = Type.Array(SendEmail, BATCH)

export const SentBatch = Type.Object({
  data: Type.Array(SentEmail),
  errors: Type.Optional(Type.Array(Type.Object({ index: Type.Integer(), message: Type.String() }))),
})

export const EmailItem = Type.Object(
  {
    id: Id,
    message_id: Type.String(),
    from: Type.String(),
    to: Addresses,
    cc: nullable(Addresses),
    bcc: nullable(Addresses),
    reply_to: nullable(Addresses),
    subject: Type.String(),
    topic_id: nullable(Id),
    scheduled_at: nullable(Timestamp),
    created_at: Timestamp,
    last_event: oneOf(LAST_EVENTS),
  },
  { title: 'EmailItem' },
)

/** What narrows the list. Times are ISO 8601. */
/** What `q` can say of sent emails. */
export const EMAIL_OPERATORS = ['to', 'from', 'subject', 'status', 'tag', 'before', 'after', 'has'] as const

export const EmailFilter = Type.Object({
  q: Type.Optional(searchText(EMAIL_OPERATORS, 'words of the subject, parts of addresses and names')),
  status: Type.Optional(oneOf(LAST_EVENTS)),
  to: Type.Optional(AddressPart),
  tag: Type.Optional(
    Type.String({
      maxLength: 513,
      pattern: '^[A-Za-z0-9_-]+(?::[A-Za-z0-9_-]+)?$',
      description: '`name` or `name:value`',
    }),
  ),
  created_after: Type.Optional(Type.String({ description: 'ISO 8601.' })),
  created_before: Type.Optional(Type.String({ description: 'ISO 8601.' })),
})

const Bounce = Type.Object(
  { type: oneOf(BOUNCE_TYPES), subType: oneOf(BOUNCE_SUBTYPES) },
  { description: 'Of the reply that it bounced with.' },
)

/** What the other side said, and what it was understood as: nothing for a yes, and for words of ours. */
const DeliveryReply = Type.Object({
  at: Type.String(),
  reply: Type.String(),
  class: Type.Optional(oneOf(REPLY_CLASSES)),
  rule: Type.Optional(Type.String({ description: 'The rule that decided.' })),
  about: Type.Optional(oneOf(REPLY_ABOUT)),
  means: Type.Optional(oneOf(REPLY_MEANS)),
  bounce: Type.Optional(Bounce),
  via: Type.Optional(
    Type.String({
      description: 'Of mail that was taken: the server, the version of TLS or `plain`, and milliseconds.',
    }),
  ),
  session: Type.Optional(
    Type.String({ description: 'Of the same: how it went, in short. `GET /emails/:id/trace` has it in fields.' }),
  ),
})

/** One recipient in the ledger. */
const Delivery = Type.Object(
  {
    recipient: Type.String(),
    state: oneOf(['waiting', 'delivered', 'bounced', 'suppressed', 'failed', 'canceled']),
    attempts: Type.Integer(),
    next_attempt_at: nullable(Timestamp),
    replies: Type.Array(DeliveryReply),
  },
  { title: 'Delivery' },
)

const BounceDetails = Type.Object(
  {
    message: Type.String(),
    type: Type.String(),
    subType: Type.String(),
    diagnosticCode: Type.Optional(Type.Array(Type.String())),
  },
  {
    description:
      'Why it bounced, as its last `email.bounced` says. It stays with the email when its events are deleted.',
  },
)

const TimelineEvent = Type.Object({ type: Type.String(), created_at: Timestamp, data: Type.Unknown() })

export const Email = Type.Object(
  {
    object: Type.Literal('email'),
    ...EmailItem.properties,
    cc: Addresses,
    bcc: Addresses,
    reply_to: Addresses,
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    tags: Type.Array(Tag),
    deliveries: Type.Array(Delivery),
    events: Type.Array(TimelineEvent),
    bounce: Type.Optional(BounceDetails),
  },
  { title: 'Email' },
)

export const EmailSource = Type.Object({ object: Type.Literal('email_source'), id: Id, source: Type.String() })

export const EmailReference = referenceTo('email')

export const Reschedule = Type.Object({ scheduled_at: Type.String() }, { title: 'RescheduleEmail' })

export const AttachmentItem = Type.Object(
  {
    id: Id,
    filename: Type.Optional(Type.String()),
    size: Type.Integer(),
    content_type: Type.String(),
    content_disposition: oneOf(['inline', 'attachment']),
    content_id: Type.Optional(Type.String()),
    download_url: Type.String(),
    expires_at: Type.String({ description: 'ISO 8601.' }),
  },
  { title: 'Attachment' },
)

export const RetrievedAttachment = Type.Object({ object: Type.Literal('attachment'), ...AttachmentItem.properties })
