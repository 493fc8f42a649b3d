import Type from 'typebox'
import { ABSENT_IF_EMPTY, BULKY, Id, nullable } from '../../../kernel/http/shapes.ts'
import { LONGEST_SUBJECT } from '../../../mail/limits.ts'
import { AttachmentInput } from '../../emails/schema.ts'

export const MOST_RECIPIENTS = 50
export const MOST_FILES = 10
export const MOST_FILE_BYTES = 25 * 1024 * 1024

export const SOME_RECIPIENTS = [
  Type.String(),
  Type.Array(Type.String(), { minItems: 1, maxItems: MOST_RECIPIENTS }),
] as const

/** An address or several. */
const Recipients = Type.Union([...SOME_RECIPIENTS], ABSENT_IF_EMPTY)
export const Subject = Type.String({ maxLength: LONGEST_SUBJECT })
export const Body = Type.String(BULKY)

/** Which of them are not for callers, `replies/headers.ts` says. */
export const Headers = nullable(
  Type.Record(Type.String(), Type.String(), {
    description: 'More headers. `In-Reply-To`, `References` and `Reply-To` are set by the service.',
  }),
)

const Files = Type.Array(AttachmentInput, { maxItems: MOST_FILES })

export const Reply = Type.Object(
  {
    html: Type.Optional(Body),
    text: Type.Optional(Body),
    cc: Type.Optional(Recipients),
    bcc: Type.Optional(Recipients),
    subject: Type.Optional(Subject),
    reply_all: Type.Optional(Type.Boolean({ description: 'To everybody who got the email, too.' })),
    attachments: Type.Optional(Files),
    headers: Type.Optional(Headers),
  },
  { title: 'Reply' },
)

export const Forward = Type.Object(
  {
    to: Recipients,
    cc: Type.Optional(Recipients),
    bcc: Type.Optional(Recipients),
    html: Type.Optional(Body),
    text: Type.Optional(Body),
    subject: Type.Optional(Subject),
    attachments: Type.Optional(Files),
    headers: Type.Optional(Headers),
  },
  { title: 'Forward' },
)

export const Replied = Type.Object(
  { id: Id, email_id: Id, thread_id: Id, direction: Type.Literal('outbound') },
  { title: 'Replied' },
)
