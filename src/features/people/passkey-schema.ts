import Type from 'typebox'
import { nullable } from '../../kernel/http/shapes.ts'

// What browsers answer (WebAuthn, level 3, section 5.1). Each text is bounded: they are untrusted.

const base64url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })

/** At most 1,023 bytes, says the standard. */
const CredentialId = base64url(1_364)
const ClientData = base64url(4_000)

const CREDENTIAL = {
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal('public-key'),
}

export const AuthenticationResponse = Type.Object({
  ...CREDENTIAL,
  response: Type.Object({
    clientDataJSON: ClientData,
    authenticatorData: base64url(4_000),
    signature: base64url(4_000),
    userHandle: Type.Optional(nullable(base64url(100))),
  }),
})

export const RegistrationResponse = Type.Object({
  ...CREDENTIAL,
  response: Type.Object({
    clientDataJSON: ClientData,
    attestationObject: base64url(16_000),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
  }),
})
