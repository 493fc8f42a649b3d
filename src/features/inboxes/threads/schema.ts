import Type from 'typebox'
import { Id, IsoTimestamp, nullable, oneOf } from '../../../kernel/http/shapes.ts'
import { InboxParams } from '../schema.ts'

/** Where threads can be looked for. */
export const FOLDERS = ['inbox', 'archive', 'spam', 'sent', 'trash'] as const
/** Where they can be moved to: what was sent is in `sent` by itself. */
export const THREAD_FOLDERS = ['inbox', 'archive', 'spam', 'trash'] as const
export type Folder = (typeof FOLDERS)[number]
export type ThreadFolder = (typeof THREAD_FOLDERS)[number]

const Addresses = Type.Array(Type.String())

export const ThreadLabel = Type.Object({ id: Id, name: Type.String(), color: Type.String() }, { title: 'ThreadLabel' })

export const ThreadItem = Type.Object(
  {
    id: Id,
    subject: nullable(Type.String()),
    from: nullable(Type.String({ description: 'Of the newest received email, or else of the newest.' })),
    to: Addresses,
    cc: Addresses,
    bcc: Addresses,
    labels: Type.Array(ThreadLabel),
    email_count: Type.Integer(),
    has_attachment: Type.Boolean(),
    has_draft: Type.Boolean(),
    read: Type.Boolean(),
    received_at: IsoTimestamp,
    folder: oneOf(FOLDERS),
    assignee_email: nullable(Type.String()),
    snippet: Type.String({ description: 'First words of the newest email.' }),
  },
  { title: 'ThreadItem' },
)

export const ThreadFound = Type.Object(
  {
    ...ThreadItem.properties,
    matched_email_id: nullable(Id),
    matched_text: nullable(
      Type.String({
        description: 'A piece of the email that was found. What matched is between the characters U+E000 and U+E001.',
      }),
    ),
  },
  { title: 'ThreadFound' },
)

/** Of a search in all inboxes. */
export const ThreadFoundInInbox = Type.Object(
  { ...ThreadFound.properties, inbox_id: Id },
  { title: 'ThreadFoundInInbox' },
)

export const Thread = Type.Object(
  {
    object: Type.Literal('inbox_thread'),
    id: Id,
    subject: nullable(Type.String()),
    folder: oneOf(FOLDERS),
    labels: Type.Array(ThreadLabel),
    read: Type.Boolean(),
    assignee_email: nullable(Type.String()),
  },
  { title: 'Thread' },
)

export const UpdateThread = Type.Object(
  {
    read: Type.Optional(Type.Boolean()),
    folder: Type.Optional(oneOf(THREAD_FOLDERS)),
    assignee_email: Type.Optional(
      nullable(Type.String({ description: 'The address of a member of the team; `null` to unassign.' })),
    ),
  },
  { title: 'UpdateThread' },
)

/** In one request, and so in one transaction. */
export const MAX_BATCH_THREADS = 100
const MAX_BATCH_LABELS = 10
const Labels = Type.Array(Id, { maxItems: MAX_BATCH_LABELS })

export const UpdateThreads = Type.Object(
  {
    ids: Type.Array(Id, { minItems: 1, maxItems: MAX_BATCH_THREADS, description: 'Threads of this inbox.' }),
    ...UpdateThread.properties,
    add_labels: Type.Optional(Labels),
    remove_labels: Type.Optional(Labels),
  },
  { title: 'UpdateThreads' },
)

export const UpdatedThreads = Type.Object(
  {
    data: Type.Array(Thread, { description: 'The threads as they are now.' }),
    errors: Type.Array(Type.Object({ index: Type.Integer(), id: Id, message: Type.String() }), {
      description: 'The ids that belong to no thread of this inbox.',
    }),
  },
  { title: 'UpdatedThreads' },
)

/** `deleted` is true only when this call has moved it to the trash. */
export const DeletedThread = Type.Object(
  { object: Type.Literal('inbox_thread'), id: Id, deleted: Type.Boolean() },
  { title: 'DeletedThread' },
)

export const InboxEmail = Type.Object(
  {
    id: Id,
    direction: oneOf(['inbound', 'outbound']),
    from: Type.String(),
    to: Addresses,
    cc: Addresses,
    bcc: Addresses,
    reply_to: Addresses,
    subject: nullable(Type.String()),
    message_id: nullable(Type.String()),
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    attachments: Type.Array(
      Type.Object({
        id: Id,
        filename: nullable(Type.String()),
        size: nullable(Type.Integer()),
        content_type: Type.String(),
      }),
    ),
    read: Type.Boolean(),
    received_at: IsoTimestamp,
  },
  { title: 'InboxEmail' },
)

/** Lists come as one text with commas; what cannot be decoded keeps its percent signs, and is refused. */
const Listed = (description: string) => Type.String({ maxLength: 4_000, pattern: '^[^%]*$', description })

export const ThreadFilter = Type.Object({
  folders: Type.Optional(
    Listed('Some of `inbox`, `archive`, `spam`, `sent` and `trash`, with commas between. Unless given: `inbox`.'),
  ),
  labels: Type.Optional(Listed('Ids of labels, up to 50, with commas between: threads that have one of them.')),
  read: Type.Optional(oneOf(['true', 'false'])),
})

export const ThreadSearch = Type.Object({
  ...ThreadFilter.properties,
  folders: Type.Optional(Listed('As for the list. Unless given: `inbox,archive,sent`.')),
  query: Type.Optional(
    Type.String({
      maxLength: 1_000,
      // `50% off` is text; a percent sign with two characters right behind it is what could not be decoded.
      pattern: '^(?:[^%]|%(?![0-9A-Za-z]{2}))*$',
      description: 'Words that all must be there, `"phrases"`, and `-words` that must not.',
    }),
  ),
  from: Type.Optional(Listed('Parts of addresses or names, with commas between: one of them.')),
  to: Type.Optional(Listed('The same.')),
  cc: Type.Optional(Listed('The same.')),
  bcc: Type.Optional(Listed('The same.')),
  has_attachment: Type.Optional(oneOf(['true', 'false'])),
  start_date: Type.Optional(Type.String({ maxLength: 64, description: 'ISO 8601: a day or a moment.' })),
  end_date: Type.Optional(
    Type.String({ maxLength: 64, description: 'ISO 8601. A date without a time is the whole day.' }),
  ),
})

/** Labels are those of an inbox. */
export const ThreadSearchAll = Type.Omit(ThreadSearch, ['labels'])

export const ThreadParams = Type.Object({ ...InboxParams.properties, thread: Id })
export const ThreadEmailParams = Type.Object({ ...ThreadParams.properties, email: Id })
