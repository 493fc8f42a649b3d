import Type from 'typebox'
import { deletedOf, Email, Id, nullable, objectOf, oneOf, referenceTo, Timestamp } from '../../http/shapes.ts'

/** What a field of a payload can be. */
export const FIELD_TYPES = ['string', 'number', 'boolean', 'date'] as const

const name = Type.String({ minLength: 1, maxLength: 255 })

const Schema = Type.Record(Type.String({ minLength: 1, maxLength: 255 }), oneOf(FIELD_TYPES), {
  description: 'The type of each field of the payload.',
})

export const EventItem = Type.Object(
  { id: Id, name, schema: nullable(Schema), created_at: Timestamp, updated_at: nullable(Timestamp) },
  { title: 'EventItem' },
)
export const Event = objectOf('event', EventItem)

export const CreateEvent = Type.Object({ name, schema: Type.Optional(nullable(Schema)) }, { title: 'CreateEvent' })
export const UpdateEvent = Type.Object({ schema: nullable(Schema) }, { title: 'UpdateEvent' })

export const EventParams = Type.Object({ idOrName: Type.String() })
export const EventReference = referenceTo('event')
export const DeletedEvent = deletedOf('event')

export const SendEvent = Type.Object(
  {
    event: name,
    contact_id: Type.Optional(Id),
    email: Type.Optional(Email),
    payload: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: 'SendEvent' },
)

export const SentEvent = Type.Object({ object: Type.Literal('event'), event: Type.String() }, { title: 'SentEvent' })
