import Type from 'typebox'
import {
  ABSENT_IF_EMPTY,
  CLEARABLE,
  deletedOf,
  Id,
  IsoTimestamp,
  nullable,
  oneOf,
  referenceTo,
} from '../../../kernel/http/shapes.ts'
import { AttachmentInput } from '../../emails/schema.ts'
import { Body, Headers, MAX_FILES, SOME_RECIPIENTS, Subject } from '../replies/schema.ts'
import { InboxParams } from '../schema.ts'

const Addresses = Type.Array(Type.String())
export const DRAFT_TYPES = ['standalone', 'reply'] as const

/** A file that the draft has already stays when it is named by its id. */
const DraftFile = Type.Object({
  ...AttachmentInput.properties,
  id: Type.Optional(Type.String({ format: 'uuid', description: 'An attachment of the draft to keep.' })),
})

/** An address or several; `null`, `""` and `[]` take them away. */
const Recipients = Type.Union([...SOME_RECIPIENTS, Type.Null()], { ...ABSENT_IF_EMPTY, ...CLEARABLE })

const content = {
  to: Type.Optional(Recipients),
  cc: Type.Optional(Recipients),
  bcc: Type.Optional(Recipients),
  subject: Type.Optional(nullable(Subject)),
  text: Type.Optional(nullable(Body)),
  html: Type.Optional(nullable(Body)),
  attachments: Type.Optional(
    Type.Array(DraftFile, {
      ...CLEARABLE,
      maxItems: MAX_FILES,
      description: 'All attachments of the draft. `null` and `[]` remove them.',
    }),
  ),
}

export const CreateDraft = Type.Object(
  {
    ...content,
    thread_id: Type.Optional(nullable(Id)),
    reply_to_email_id: Type.Optional(
      nullable(
        Type.String({
          format: 'uuid',
          description:
            'An email of the thread that the draft answers. It names the recipients and the subject, unless they are given.',
        }),
      ),
    ),
    forward_of_email_id: Type.Optional(
      nullable(Type.String({ format: 'uuid', description: 'An email of this inbox that the draft forwards.' })),
    ),
  },
  { title: 'CreateDraft' },
)

export const UpdateDraft = Type.Object(
  {
    ...content,
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Expected version of the draft. A mismatch is answered with 409.' }),
    ),
  },
  { title: 'UpdateDraft' },
)

export const SendDraft = Type.Object(
  {
    headers: Type.Optional(Headers),
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Expected version of the draft. A mismatch is answered with 409.' }),
    ),
  },
  { title: 'SendDraft' },
)

export const UNDO_SECONDS = 10
const MAX_DELAY_SECONDS = 60

export const ScheduleDraft = Type.Object(
  {
    ...SendDraft.properties,
    delay_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DELAY_SECONDS,
        description: `How long sending can be undone. Default: ${UNDO_SECONDS}.`,
      }),
    ),
  },
  { title: 'ScheduleDraft' },
)

const DraftAttachment = Type.Object({
  id: Id,
  filename: Type.String(),
  content_type: Type.String(),
  size: Type.Integer(),
})

const Source = oneOf(['api', 'dashboard', 'agent'])

const head = {
  id: Id,
  type: oneOf(DRAFT_TYPES),
  to: nullable(Addresses),
  cc: Addresses,
  bcc: Addresses,
  subject: nullable(Type.String()),
}

const sending = {
  send_at: nullable(
    Type.String({
      format: 'date-time',
      description: 'When it is sent unless sending is undone. Until then it is read-only.',
    }),
  ),
  send_error: nullable(Type.String({ description: 'Why it could not be sent when it was due.' })),
}

export const DraftItem = Type.Object(
  {
    ...head,
    snippet: nullable(Type.String()),
    thread_id: nullable(Id),
    reply_to_email_id: nullable(Id),
    forward_of_email_id: nullable(Id),
    source: Source,
    ...sending,
    updated_at: IsoTimestamp,
    attachments: Type.Array(DraftAttachment),
  },
  { title: 'DraftItem' },
)

export const Draft = Type.Object(
  {
    object: Type.Literal('inbox_draft'),
    ...head,
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    thread_id: nullable(Id),
    reply_to_email_id: nullable(Id),
    forward_of_email_id: nullable(Id),
    email_id: nullable(Id),
    version: Type.Integer(),
    source: Source,
    ...sending,
    created_at: IsoTimestamp,
    updated_at: IsoTimestamp,
    attachments: Type.Array(DraftAttachment),
  },
  { title: 'Draft' },
)

/** With its version, which the next change may name. */
export const DraftReference = Type.Object(
  { ...referenceTo('inbox_draft').properties, version: Type.Integer() },
  { title: 'DraftReference' },
)
export const DeletedDraft = deletedOf('inbox_draft')
export const SentDraft = Type.Object(
  {
    object: Type.Literal('inbox_draft'),
    id: Id,
    thread_id: nullable(Type.String({ format: 'uuid', description: '`null` while it is not known yet.' })),
    email_id: Id,
  },
  { title: 'SentDraft' },
)
export const ScheduledDraft = Type.Object(
  { ...referenceTo('inbox_draft').properties, thread_id: nullable(Id), send_at: IsoTimestamp },
  { title: 'ScheduledDraft' },
)
export const DraftFilter = Type.Object({ thread_id: Type.Optional(Id) })
export const DraftParams = Type.Object({ ...InboxParams.properties, draft: Id })
