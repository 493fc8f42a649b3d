import Type from 'typebox'
import { deletedOf, Id, IsoTimestamp, nullable, oneOf, searchText } from '../../kernel/http/shapes.ts'

/** As seen by the team: what it sent, and what it received. */
export const DIRECTIONS = ['sent', 'received'] as const
export type Direction = (typeof DIRECTIONS)[number]

const Addresses = Type.Array(Type.String())
const Tag = Type.Object({ name: Type.String(), value: Type.String() })

export const MessageItem = Type.Object(
  {
    id: Id,
    direction: oneOf(DIRECTIONS),
    from: Type.String(),
    to: Addresses,
    cc: Addresses,
    bcc: Addresses,
    reply_to: Addresses,
    subject: Type.String(),
    snippet: Type.String({ description: 'First words of the text.' }),
    status: nullable(Type.String({ description: 'For sent messages: the last event, like `delivered`.' })),
    is_read: Type.Boolean(),
    labels: Type.Array(Type.String()),
    tags: Type.Array(Tag),
    attachments: Type.Integer({ description: 'How many.' }),
    size: Type.Integer({ description: 'In bytes, about.' }),
    created_at: IsoTimestamp,
  },
  { title: 'MessageItem' },
)

const Link = Type.Object({
  text: Type.String(),
  href: Type.String(),
  target: Type.String({ description: 'Where it leads: behind a tracked link, the address that it stands for.' }),
})
const Image = Type.Object({ src: Type.String(), alt: nullable(Type.String()) })
const Unsubscribe = Type.Object({
  url: nullable(Type.String()),
  mailto: nullable(Type.String()),
  one_click: Type.Boolean({ description: 'A POST to the address is enough (RFC 8058).' }),
})
const Attachment = Type.Object({
  id: Id,
  filename: nullable(Type.String()),
  content_type: Type.String(),
  content_id: nullable(Type.String()),
  size: Type.Integer(),
  download_url: Type.String(),
})

const { attachments: _count, ...fields } = MessageItem.properties

export const Message = Type.Object(
  {
    object: Type.Literal('message'),
    ...fields,
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
    links: Type.Array(Link),
    codes: Type.Array(Type.String({ description: 'One-time codes, without spaces or dashes; the likeliest first.' })),
    unsubscribe: nullable(Unsubscribe),
    images: Type.Array(Image),
    attachments: Type.Array(Attachment),
    raw: nullable(Type.String({ description: 'The message as it is on the wire. Absent above 1 MB.' })),
  },
  { title: 'Message' },
)

const Address = Type.String({
  minLength: 1,
  maxLength: 998,
  description: 'An address: the whole of it, in any case. A name may stand before it: `Ada <ada@example.com>`.',
})
const Part = Type.String({ minLength: 1, maxLength: 998, description: 'A part of it, in any case.' })

const Narrowing = {
  to: Type.Optional(Type.String({ ...Address, description: 'A recipient: the whole address, in any case.' })),
  from: Type.Optional(Address),
  subject: Type.Optional(Part),
  text: Type.Optional(
    Type.String({
      ...Part,
      description: 'A part of the text, in any case. The first 50,000 characters are looked at.',
    }),
  ),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 513, description: '`name` or `name:value`, or a label.' })),
  direction: Type.Optional(oneOf(DIRECTIONS)),
}

/** What `q` can say of messages. */
export const MESSAGE_OPERATORS = ['to', 'from', 'subject', 'status', 'tag', 'before', 'after', 'has'] as const

export const MessageFilter = Type.Object({
  ...Narrowing,
  q: Type.Optional(searchText(MESSAGE_OPERATORS, 'words of the subject and the text, parts of addresses and names')),
  is_read: Type.Optional(oneOf(['true', 'false'])),
})

export const WaitQuery = Type.Object({
  ...Narrowing,
  after: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only messages after this one (an id), or after this time (ISO 8601).' }),
  ),
  count: Type.Optional(
    Type.String({ pattern: '^\\d{1,3}$', description: 'Number of messages to wait for: 1 to 100. Default 1.' }),
  ),
  timeout: Type.Optional(
    Type.String({ pattern: '^\\d{1,2}(?:\\.\\d{1,3})?$', description: 'Seconds: 0 to 55. Default 10.' }),
  ),
  absent: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      ...oneOf(['true', 'false']),
      description: 'Asserts that no message arrives: waits for the whole timeout unless one does.',
    }),
  ),
})

export const Waited = Type.Object(
  { object: Type.Literal('list'), found: Type.Boolean(), data: Type.Array(Message) },
  { title: 'Waited' },
)

export const UpdateMessage = Type.Object(
  {
    is_read: Type.Optional(Type.Boolean()),
    labels: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\r\\n,]+$' }), { maxItems: 50 }),
    ),
  },
  { title: 'UpdateMessage' },
)

export const ReleaseMessage = Type.Object(
  { to: Type.Optional(Type.Array(Type.String({ maxLength: 320 }), { minItems: 1, maxItems: 50 })) },
  { title: 'ReleaseMessage' },
)
export const ReleasedMessage = Type.Object(
  {
    object: Type.Literal('message'),
    id: Id,
    released_to: Addresses,
    reply: Type.String({ description: 'What the relay said.' }),
    refused: Type.Array(Type.Object({ to: Type.String(), reply: Type.String() })),
  },
  { title: 'ReleasedMessage' },
)

export const MessageReference = Type.Object({ object: Type.Literal('message'), id: Id })
export const DeletedMessage = deletedOf('message')
export const UpdatedMessages = Type.Object(
  {
    object: Type.Literal('list'),
    updated: Type.Integer(),
    has_more: Type.Boolean({ description: 'True: not all were handled in time; retry.' }),
  },
  { title: 'UpdatedMessages' },
)
export const DeletedMessages = Type.Object(
  {
    object: Type.Literal('list'),
    deleted: Type.Integer(),
    has_more: Type.Boolean({ description: 'True: not all were handled in time; retry.' }),
  },
  { title: 'DeletedMessages' },
)
