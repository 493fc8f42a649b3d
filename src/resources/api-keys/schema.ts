import Type from 'typebox'
import { deletedOf, Id, nullable, oneOf, referenceTo, SECRET, Timestamp, withDefault } from '../../http/shapes.ts'

export const ApiKeyItem = Type.Object(
  { id: Id, name: Type.String(), created_at: Timestamp, last_used_at: nullable(Timestamp) },
  { title: 'ApiKey' },
)

const Name = Type.String({ maxLength: 50 })

export const CreateApiKey = Type.Object(
  {
    name: Name,
    permission: withDefault(oneOf(['full_access', 'sending_access']), 'full_access'),
    domain_id: Type.Optional(Id),
  },
  { title: 'CreateApiKey' },
)

/** The only time that the token is shown. */
export const CreatedApiKey = Type.Object(
  { object: Type.Literal('api_key'), id: Id, token: Type.String(SECRET) },
  { title: 'CreatedApiKey' },
)

export const UpdateApiKey = Type.Object({ name: Name }, { title: 'UpdateApiKey' })

export const ApiKeyReference = referenceTo('api_key')
export const DeletedApiKey = deletedOf('api_key')
