import Type from 'typebox'
import { deletedOf, Id, IsoTimestamp, nullable, referenceTo } from '../../kernel/http/shapes.ts'

/** Who did what an event is about. */
export const SOURCES = ['api', 'dashboard', 'agent', 'system'] as const
export type Source = (typeof SOURCES)[number]

const Name = Type.String({ minLength: 1, maxLength: 64 })
const FromName = Type.String({
  minLength: 1,
  maxLength: 78,
  pattern: '^[^:<>\\r\\n]+$',
  description: 'The name beside the address in mail from this inbox, without `:`, `<` and `>`.',
})

export const CreateInbox = Type.Object(
  {
    email_address: Type.String({
      format: 'email',
      description: 'An address at one of your receiving domains; with `forwarding`, at any of your domains.',
      examples: ['support@example.com'],
    }),
    name: Type.Optional(Name),
    forwarding: Type.Optional(
      Type.Boolean({ description: 'Mail comes to another server, which forwards it to the `receiving_address`.' }),
    ),
    from_name: Type.Optional(nullable(FromName)),
  },
  { title: 'CreateInbox' },
)

export const UpdateInbox = Type.Object(
  { name: Type.Optional(Name), from_name: Type.Optional(nullable(FromName)) },
  { title: 'UpdateInbox' },
)

export const InboxItem = Type.Object(
  {
    id: Id,
    name: nullable(Type.String()),
    email_address: Type.String(),
    from_name: nullable(Type.String()),
    unread: Type.Integer({ description: 'Threads in the folder `inbox` with something unread.' }),
    last_received: nullable(IsoTimestamp),
    created_at: IsoTimestamp,
    updated_at: IsoTimestamp,
  },
  { title: 'InboxItem' },
)

export const Inbox = Type.Object(
  {
    object: Type.Literal('inbox'),
    id: Id,
    name: Type.String(),
    email_address: Type.String(),
    domain_id: Id,
    receiving_address: nullable(Type.String({ description: 'Where to forward mail to.' })),
    from_name: nullable(Type.String()),
    unread: Type.Integer(),
    drafts: Type.Integer(),
    last_received: nullable(IsoTimestamp),
    created_at: IsoTimestamp,
    updated_at: IsoTimestamp,
  },
  { title: 'Inbox' },
)

export const InboxReference = referenceTo('inbox')
export const DeletedInbox = deletedOf('inbox')

/** An id, or the address of the inbox. */
export const InboxParams = Type.Object({ inbox: Type.String() })
