import Type, { type Static } from 'typebox'
import {
  deletedOf,
  Email,
  Id,
  nullable,
  objectOf,
  oneOf,
  referenceTo,
  refusedWith,
  Timestamp,
} from '../../kernel/http/shapes.ts'

/** What a field of a payload can be. */
export const FIELD_TYPES = ['string', 'number', 'boolean', 'date'] as const

const name = Type.String({ minLength: 1, maxLength: 255 })

/** What a payload may measure as JSON, and how deep its values may lie in each other. */
export const MAX_PAYLOAD_BYTES = 64 * 1024
export const MAX_PAYLOAD_DEPTH = 10

const MAX_FIELDS = 100

const Schema = Type.Record(Type.String(), oneOf(FIELD_TYPES), {
  description: 'The type of each field of the payload.',
  maxProperties: MAX_FIELDS,
  propertyNames: Type.String({ maxLength: 255, pattern: '^.+$' }),
})
export type EventSchema = Static<typeof Schema>

/** `null` takes it away. */
const schema = Type.Union(
  [Schema, Type.Null()],
  refusedWith(
    `Invalid \`schema\` field. It must be \`null\` or an object of at most ${MAX_FIELDS} fields, each with its type: ` +
      `one of ${FIELD_TYPES.map((type) => `\`${type}\``).join(', ')}. A name has 1 to 255 characters in one line.`,
  ),
)

export const EventItem = Type.Object(
  { id: Id, name, schema: nullable(Schema), created_at: Timestamp, updated_at: nullable(Timestamp) },
  { title: 'EventItem' },
)
export const Event = objectOf('event', EventItem)

export const CreateEvent = Type.Object({ name, schema: Type.Optional(schema) }, { title: 'CreateEvent' })
export const UpdateEvent = Type.Object({ schema }, { title: 'UpdateEvent' })

export const EventParams = Type.Object({ idOrName: Type.String() })
export const EventReference = referenceTo('event')
export const DeletedEvent = deletedOf('event')

export const SendEvent = Type.Object(
  {
    event: name,
    /** One of the two. */
    contact_id: Type.Optional(Id),
    email: Type.Optional(Email),
    payload: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: `At most ${MAX_PAYLOAD_BYTES / 1024} kB of JSON, ${MAX_PAYLOAD_DEPTH} levels deep.`,
      }),
    ),
  },
  { title: 'SendEvent' },
)

export const SentEvent = Type.Object({ object: Type.Literal('event'), event: Type.String() }, { title: 'SentEvent' })
