import Type, { type Static } from 'typebox'
import {
  AddressPart,
  Email,
  Id,
  nullable,
  objectOf,
  oneOf,
  referenceTo,
  searchText,
  Timestamp,
} from '../../kernel/http/shapes.ts'
import { PROPERTY_TYPES, PropertyValues } from '../contact-properties/schema.ts'
import { SUBSCRIPTIONS } from '../topics/schema.ts'

/** In characters. A broadcast puts it into every email, as often as its author likes. */
export const MAX_NAME_LENGTH = 500

export const ContactItem = Type.Object(
  {
    id: Id,
    email: Email,
    first_name: nullable(Type.String()),
    last_name: nullable(Type.String()),
    created_at: Timestamp,
    unsubscribed: Type.Boolean({ description: 'Receives no broadcasts, whatever the topics say.' }),
  },
  { title: 'ContactItem' },
)

const { email, unsubscribed } = ContactItem.properties
// What is there already may be longer.
const Name = nullable(Type.String({ maxLength: MAX_NAME_LENGTH }))
const [first_name, last_name] = [Name, Name]

const Properties = Type.Record(
  Type.String(),
  Type.Object({ type: oneOf(PROPERTY_TYPES), value: Type.Union([Type.String(), Type.Number()]) }),
)

/** What items of the list say of a contact besides, when it is asked for. */
export const CONTACT_INCLUDES = ['properties', 'segments', 'topics'] as const
export type ContactInclude = (typeof CONTACT_INCLUDES)[number]

const SegmentName = Type.Object({ id: Id, name: Type.String() })

/** Clients of the contract never ask, and see items without these. */
export const ContactListItem = Type.Object(
  {
    ...ContactItem.properties,
    properties: Type.Optional(Properties),
    segments: Type.Optional(Type.Array(SegmentName)),
    topics: Type.Optional(
      Type.Array(Type.Object({ ...SegmentName.properties, subscription: oneOf(SUBSCRIPTIONS) }), {
        description: 'Choices of the contact itself. Without one the default of the topic applies.',
      }),
    ),
  },
  { title: 'ContactListItem' },
)

export const Contact = Type.Object(
  { ...objectOf('contact', ContactItem).properties, properties: Properties },
  { title: 'Contact' },
)

/** What `q` can say of contacts, and the values of `status:`. */
export const CONTACT_OPERATORS = ['status', 'before', 'after'] as const
export const CONTACT_STATUSES = ['subscribed', 'unsubscribed'] as const

export const ContactFilter = Type.Object({
  segment_id: Type.Optional(Id),
  email: Type.Optional(AddressPart),
  include: Type.Optional(
    Type.String({
      pattern: `^(?:${CONTACT_INCLUDES.join('|')})(?:,(?:${CONTACT_INCLUDES.join('|')}))*$`,
      maxLength: 100,
      description: `What items have besides, with commas between: ${CONTACT_INCLUDES.map((name) => `\`${name}\``).join(', ')}`,
      examples: ['properties,segments'],
    }),
  ),
  q: Type.Optional(searchText(CONTACT_OPERATORS, 'parts of the address and of the names')),
})

/** `[{"id": "…"}]` from the SDK, `["…"]` from others. */
export const SegmentIds = Type.Array(Type.Union([Type.Object({ id: Id }), Id]))

export const TopicChoice = Type.Object({ id: Id, subscription: oneOf(SUBSCRIPTIONS) })

/** What callers write of a contact itself. Each is a column of its row, and an import takes it from a column of the file. */
export const ContactFields = Type.Object({
  email,
  first_name: Type.Optional(first_name),
  last_name: Type.Optional(last_name),
  unsubscribed: Type.Optional(unsubscribed),
})

export const CreateContact = Type.Object(
  {
    ...ContactFields.properties,
    properties: Type.Optional(PropertyValues),
    segments: Type.Optional(SegmentIds),
    topics: Type.Optional(Type.Array(TopicChoice)),
    audience_id: Type.Optional(Id),
    segment_id: Type.Optional(Id),
  },
  { title: 'CreateContact' },
)

export const UpdateContact = Type.Object(
  {
    ...Type.Partial(ContactFields).properties,
    properties: Type.Optional(PropertyValues),
  },
  { title: 'UpdateContact' },
)

export const ContactParams = Type.Object({ idOrEmail: Type.String() })

export const ContactReference = referenceTo('contact')

/** The key is `contact` in the SDK and `id` in the OpenAPI document: both are there. */
export const DeletedContact = Type.Object(
  { object: Type.Literal('contact'), contact: Type.String(), id: Type.String(), deleted: Type.Literal(true) },
  { title: 'DeletedContact' },
)

/** A page of segments says how large each is without reading all of a large one. */
export const MAX_COUNTED_CONTACTS = 10_000
export const MAX_COUNTED_SEGMENTS = 100

const SegmentCountItem = Type.Object(
  { segment_id: Id, contacts: Type.Integer(), is_exact: Type.Boolean() },
  { title: 'SegmentCount' },
)

export type SegmentCount = Static<typeof SegmentCountItem>

export const SegmentCounts = Type.Object(
  { object: Type.Literal('segment_counts'), data: Type.Array(SegmentCountItem) },
  { title: 'SegmentCounts' },
)
