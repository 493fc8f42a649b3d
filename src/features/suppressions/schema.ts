import Type from 'typebox'
import {
  AddressPart,
  deletedOf,
  Email,
  Id,
  nullable,
  objectOf,
  oneOf,
  referenceTo,
  searchText,
  Timestamp,
} from '../../kernel/http/shapes.ts'

export const ORIGINS = ['bounce', 'complaint', 'manual'] as const

export const SuppressionItem = Type.Object(
  {
    id: Id,
    email: Email,
    origin: oneOf(ORIGINS),
    source_id: nullable(Id),
    created_at: Timestamp,
  },
  { title: 'Suppression' },
)

const { email, origin } = SuppressionItem.properties
const batchOf = <Item extends typeof Email>(item: Item) => Type.Array(item, { minItems: 1, maxItems: 100 })

export const AddSuppression = Type.Object({ email }, { title: 'AddSuppression' })
export const AddSuppressions = Type.Object({ emails: batchOf(email) }, { title: 'AddSuppressions' })

/** Either of the two. */
export const RemoveSuppressions = Type.Object(
  { emails: Type.Optional(batchOf(email)), ids: Type.Optional(batchOf(Id)) },
  { title: 'RemoveSuppressions' },
)

/** What `q` can say of suppressions. A status is an origin. */
export const SUPPRESSION_OPERATORS = ['status', 'before', 'after'] as const

export const SuppressionFilter = Type.Object({
  origin: Type.Optional(origin),
  email: Type.Optional(AddressPart),
  q: Type.Optional(searchText(SUPPRESSION_OPERATORS, 'parts of the address')),
})

export const Suppression = objectOf('suppression', SuppressionItem)
export const SuppressionReference = referenceTo('suppression')
export const DeletedSuppression = deletedOf('suppression')
export const AddedSuppressions = Type.Object({ data: Type.Array(SuppressionReference) })
export const RemovedSuppressions = Type.Object({ data: Type.Array(DeletedSuppression) })
