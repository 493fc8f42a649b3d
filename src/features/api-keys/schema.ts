import Type from 'typebox'
import {
  deletedOf,
  Id,
  nullable,
  oneOf,
  referenceTo,
  SECRET,
  Timestamp,
  withDefault,
} from '../../kernel/http/shapes.ts'

const PERMISSIONS = ['full_access', 'sending_access'] as const

/** What clients of the contract are shown: these four and no more. */
export const ApiKeyItem = Type.Object(
  {
    id: Id,
    name: Type.String(),
    created_at: Timestamp,
    last_used_at: nullable(Timestamp),
  },
  { title: 'ApiKey' },
)

/** What we know of a key besides. */
export const ApiKeyDetails = Type.Object(
  {
    ...ApiKeyItem.properties,
    permission: oneOf(PERMISSIONS),
    domain_id: nullable(Id),
    token_end: nullable(
      Type.String({ description: 'The last four characters of the token. Null for keys of earlier versions.' }),
    ),
    expires_at: nullable(Timestamp),
    created_by: nullable(Type.String({ description: 'The email address of the person who made it, if it was one.' })),
  },
  { title: 'ApiKeyDetails' },
)

const Name = Type.String({ maxLength: 50 })

export const CreateApiKey = Type.Object(
  {
    name: Name,
    permission: withDefault(oneOf(PERMISSIONS), 'full_access'),
    domain_id: Type.Optional(Id),
    expires_at: Type.Optional(
      nullable(
        Type.String({
          description: 'When it stops working: ISO 8601, or words like `in 90 days`. Null or left out: never.',
          examples: ['in 90 days'],
        }),
      ),
    ),
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

export const ApiKeyUses = Type.Object(
  {
    object: Type.Literal('api_key_uses'),
    id: Id,
    data: Type.Array(
      Type.Object({
        date: Type.String({ description: 'A day in UTC.', examples: ['2026-11-15'] }),
        requests: Type.Integer(),
      }),
      { description: 'The last 30 days, the oldest first.' },
    ),
  },
  { title: 'ApiKeyUses' },
)
