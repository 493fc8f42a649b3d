import Type from 'typebox'
import { deletedOf, Email, Id, nullable, oneOf, referenceTo, SECRET, Timestamp } from '../../http/shapes.ts'
import { ROLES } from '../../people/schema.ts'

export const InvitationItem = Type.Object(
  {
    id: Id,
    email: Email,
    role: oneOf(ROLES),
    invited_by: nullable(Type.String({ description: 'The address of the one who did; null: they are gone.' })),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'Invitation' },
)

const { email, role } = InvitationItem.properties

export const CreateInvitation = Type.Object({ email, role }, { title: 'CreateInvitation' })

/** What the link in the mail carries. */
export const AcceptInvitation = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 100, ...SECRET }) },
  { title: 'AcceptInvitation' },
)

/** What somebody is a member of now. */
export const JoinedTeam = referenceTo('team')
export const InvitationReference = referenceTo('invitation')
export const DeletedInvitation = deletedOf('invitation')
