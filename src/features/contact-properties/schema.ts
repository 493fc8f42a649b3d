import Type from 'typebox'
import { deletedOf, Id, nullable, objectOf, oneOf, referenceTo, Timestamp } from '../../kernel/http/shapes.ts'

export const PROPERTY_TYPES = ['string', 'number'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

/** In characters. A broadcast puts it into every email, as often as its author likes. */
export const MAX_VALUE_LENGTH = 10_000

const Value = Type.Union([Type.String({ maxLength: MAX_VALUE_LENGTH }), Type.Number()])
// What is there already may be longer.
const StoredValue = Type.Union([Type.String(), Type.Number()])

/** Of a property, and of a variable in a template: what a placeholder can name. */
export const Key = Type.String({
  pattern: '^[A-Za-z0-9_]+$',
  maxLength: 50,
  description: 'letters, digits and underscores',
})

export const ContactPropertyItem = Type.Object(
  { id: Id, key: Key, type: oneOf(PROPERTY_TYPES), fallback_value: nullable(StoredValue), created_at: Timestamp },
  { title: 'ContactProperty' },
)

const { key, type } = ContactPropertyItem.properties
const fallback_value = nullable(Value)

export const CreateContactProperty = Type.Object(
  { key, type, fallback_value: Type.Optional(fallback_value) },
  { title: 'CreateContactProperty' },
)

/** Key and type stay: values of contacts hang on them. */
export const UpdateContactProperty = Type.Object(
  { fallback_value: Type.Optional(fallback_value) },
  { title: 'UpdateContactProperty' },
)

export const ContactProperty = objectOf('contact_property', ContactPropertyItem)
export const ContactPropertyReference = referenceTo('contact_property')
export const DeletedContactProperty = deletedOf('contact_property')

/** The `properties` of a contact as callers write them. Null removes a value. */
export const PropertyValues = Type.Record(Type.String(), nullable(Value))
