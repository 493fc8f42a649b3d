import Type, { type TSchema } from 'typebox'
import { UpdateMessage } from '../../features/messages/schema.ts'
import { BULKY, BYTES } from '../../kernel/http/shapes.ts'

// What Mailpit's clients send. Go reads the names of fields in any case, so clients write them in any: see `spelledAs`.

const Ids = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10_000 })
const Text = Type.String({ maxLength: 2_000 })
const Digits = Type.String({ pattern: '^\\d{1,9}$', 'x-expected': 'a number' })

const Tags = UpdateMessage.properties.labels
const Tag = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\r\\n,]+$' })

export const PageQuery = Type.Object({ start: Type.Optional(Digits), limit: Type.Optional(Digits) })
export const SearchQuery = Type.Object({
  query: Type.Optional(Type.String({ maxLength: 4_000 })),
  start: Type.Optional(Digits),
  limit: Type.Optional(Digits),
  tz: Type.Optional(Type.String({ maxLength: 100 })),
})
export const ZoneQuery = Type.Object({ tz: Type.Optional(Type.String({ maxLength: 100 })) })

export const DeleteMessages = Type.Object({ IDs: Type.Optional(Ids) })
export const ReadStatus = Type.Object({
  IDs: Type.Optional(Ids),
  Read: Type.Optional(Type.Boolean()),
  Search: Type.Optional(Type.String({ maxLength: 4_000 })),
})
export const SetTags = Type.Object({ IDs: Ids, Tags })
export const RenameTag = Type.Object({ Name: Tag })
export const Release = Type.Object({ To: Type.Array(Type.String({ maxLength: 320 }), { minItems: 1, maxItems: 50 }) })

const Mailbox = Type.Object({
  Email: Type.String({ minLength: 1, maxLength: 998 }),
  Name: Type.Optional(Type.String({ maxLength: 998, pattern: '^[^\\r\\n]*$' })),
})
const Mailboxes = Type.Array(Mailbox, { maxItems: 50 })

export const Send = Type.Object({
  From: Mailbox,
  To: Type.Optional(Mailboxes),
  Cc: Type.Optional(Mailboxes),
  Bcc: Type.Optional(Type.Array(Type.String({ maxLength: 998 }), { maxItems: 50 })),
  ReplyTo: Type.Optional(Mailboxes),
  Subject: Type.Optional(Text),
  Text: Type.Optional(Type.String(BULKY)),
  HTML: Type.Optional(Type.String(BULKY)),
  Headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  Tags,
  Attachments: Type.Optional(
    Type.Array(
      Type.Object({
        Content: Type.String({ ...BULKY, ...BYTES }),
        Filename: Type.String({ maxLength: 255 }),
        ContentType: Type.Optional(Type.String({ maxLength: 255 })),
        ContentID: Type.Optional(Type.String({ maxLength: 127 })),
      }),
      { maxItems: 100 },
    ),
  ),
})

const Trigger = Type.Object({
  ErrorCode: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
  Probability: Type.Integer({ minimum: 0, maximum: 100 }),
})
export const Triggers = Type.Object({
  Sender: Type.Optional(Trigger),
  Recipient: Type.Optional(Trigger),
  Authentication: Type.Optional(Trigger),
})

interface Shaped {
  readonly properties?: Readonly<Record<string, Shaped>>
  readonly items?: Shaped
}

/** The value with its fields spelled as the schema does. `null` is nothing, as it is in Go. */
export function spelledAs(schema: TSchema, value: unknown): unknown {
  return respell(schema as Shaped, value)
}

function respell({ properties, items }: Shaped, value: unknown): unknown {
  if (Array.isArray(value)) return items ? value.map((item) => respell(items, item)) : value
  if (typeof value !== 'object' || value === null || !properties) return value
  const names = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => {
        const known = names.get(name.toLowerCase())
        return known === undefined ? [name, inner] : [known, respell(properties[known]!, inner)]
      }),
  )
}
