import Type from 'typebox'
import { deletedOf, Email, Id, nullable, oneOf, referenceTo, SECRET, Timestamp } from '../../../kernel/http/shapes.ts'

const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f]*$'

const PersonName = Type.String({ maxLength: 100, pattern: NO_CONTROL_CHARACTERS })

export const Account = Type.Object(
  {
    object: Type.Literal('account'),
    id: Id,
    email: Email,
    name: PersonName,
    is_operator: Type.Boolean({ description: 'Sees all teams of the installation.' }),
    created_at: Timestamp,
  },
  { title: 'Account' },
)

export const UpdateAccount = Type.Object({ name: Type.Optional(PersonName) }, { title: 'UpdateAccount' })

export const AccountReference = referenceTo('account')

const PasskeyName = Type.String({ minLength: 1, maxLength: 50, pattern: NO_CONTROL_CHARACTERS })

export const PasskeyItem = Type.Object(
  {
    id: Id,
    name: PasskeyName,
    created_at: Timestamp,
    last_used_at: nullable(Timestamp),
  },
  { title: 'Passkey' },
)

/** What the browser is handed as it is: its parts are those of WebAuthn. */
export const PasskeyOptions = Type.Object({
  object: Type.Literal('passkey_options'),
  options: Type.Object({}, { additionalProperties: true, ...SECRET }),
})

export const UpdatePasskey = Type.Object({ name: PasskeyName }, { title: 'UpdatePasskey' })

export const PasskeyReference = referenceTo('passkey')
export const DeletedPasskey = deletedOf('passkey')

export const SessionItem = Type.Object(
  {
    id: Id,
    method: oneOf(['passkey', 'link', 'oidc', 'terminal']),
    is_current: Type.Boolean({ description: 'The one that asks.' }),
    ip_address: nullable(Type.String()),
    user_agent: nullable(Type.String()),
    created_at: Timestamp,
    last_seen_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'AccountSession' },
)

export const DeletedSession = deletedOf('account_session')
export const DeletedSessions = Type.Object({
  object: Type.Literal('account_sessions'),
  deleted: Type.Integer({ description: 'How many have ended.' }),
})
