import Type from 'typebox'
import { CLEARABLE, Id, nullable, Timestamp } from '../../../kernel/http/shapes.ts'
import { hintedReference, Policy } from '../../policies/schema.ts'

export const OAuthGrantItem = Type.Object(
  {
    id: Id,
    client_id: Type.String({ description: 'A UUID, or the address of the document that describes the client.' }),
    client: Type.Object({ name: Type.String(), logo_uri: nullable(Type.String()) }),
    scopes: Type.Array(Type.String()),
    resource: nullable(Type.String({ description: 'What the client has asked for tokens for.' })),
    user: nullable(Type.String({ description: 'Email address of the member who authorized it.' })),
    policy: nullable(Policy),
    created_at: Timestamp,
    revoked_at: nullable(Timestamp),
    revoked_reason: nullable(Type.String()),
  },
  { title: 'OAuthGrant' },
)

export const UpdateOAuthGrant = Type.Object(
  { policy: Type.Union([Policy, Type.Null()], { ...CLEARABLE, description: 'Null removes the policy.' }) },
  { title: 'UpdateOAuthGrant' },
)

export const OAuthGrantReference = hintedReference('oauth_grant')

export const RevokedOAuthGrant = Type.Object({
  object: Type.Literal('oauth_grant'),
  id: Id,
  revoked_at: Type.String({ format: 'date-time', examples: ['2026-11-15T01:20:30.123Z'] }),
  revoked_reason: Type.String(),
})
