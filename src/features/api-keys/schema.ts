import Type from 'typebox'
import {
  deletedOf,
  EXACT,
  Id,
  nullable,
  objectOf,
  oneOf,
  SECRET,
  Timestamp,
  withDefault,
} from '../../kernel/http/shapes.ts'
import { Hint, hintedReference, Policy } from '../policies/schema.ts'

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
    created_by: nullable(Type.String({ description: 'Email address of the user who created it, if it was one.' })),
    policy: nullable(Policy),
  },
  { title: 'ApiKeyDetails' },
)

export const RetrievedApiKey = objectOf('api_key', ApiKeyDetails)

const Name = Type.String({ maxLength: 50 })

export const CreateApiKey = Type.Object(
  {
    name: Name,
    permission: withDefault(oneOf(PERMISSIONS), 'full_access'),
    domain_id: Type.Optional(Id),
    expires_at: Type.Optional(
      nullable(
        Type.String({
          description: 'Expiry: ISO 8601, or words like `in 90 days`. Null or absent: never.',
          examples: ['in 90 days'],
        }),
      ),
    ),
    policy: Type.Optional(Policy),
  },
  { title: 'CreateApiKey' },
)

/** The only time that the token is shown. */
export const CreatedApiKey = Type.Object(
  { object: Type.Literal('api_key'), id: Id, token: Type.String(SECRET), hint: Hint },
  { title: 'CreatedApiKey' },
)

export const UpdateApiKey = Type.Object(
  {
    name: Type.Optional(Name),
    policy: Type.Optional(Type.Union([Policy, Type.Null()], { ...EXACT, description: 'Null removes the policy.' })),
  },
  { title: 'UpdateApiKey' },
)

export const ApiKeyReference = hintedReference('api_key')
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
