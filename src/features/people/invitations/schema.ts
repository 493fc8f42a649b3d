import Type from 'typebox'
import { deletedOf, Email, Id, nullable, oneOf, referenceTo, SECRET, Timestamp } from '../../../kernel/http/shapes.ts'
import { ROLES } from '../schema.ts'

export const InvitationItem = Type.Object(
  {
    id: Id,
    email: Email,
    role: oneOf(ROLES),
    invited_by: nullable(Type.String({ description: 'Email address of the inviter; null: deleted.' })),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'Invitation' },
)

const { email, role } = InvitationItem.properties

export const CreateInvitation = Type.Object({ email, role }, { title: 'CreateInvitation' })

/** What the link in the mail carries, or the id of one that is to the address of whoever asks. */
export const AcceptInvitation = Type.Object(
  {
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 100, ...SECRET })),
    invitation_id: Type.Optional(Id),
  },
  { title: 'AcceptInvitation' },
)

/** An invitation as the one sees it who is invited. */
export const OwnInvitation = Type.Object(
  {
    id: Id,
    team: Type.String({ description: 'The name of the team.' }),
    role: oneOf(ROLES),
    invited_by: nullable(Type.String({ description: 'Email address of the inviter.' })),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'OwnInvitation' },
)

/** What somebody is a member of now. */
export const JoinedTeam = referenceTo('team')
/** A link that can be handed over. */
export const InvitationLink = Type.Object(
  {
    ...referenceTo('invitation').properties,
    url: Type.String({ examples: ['https://mail.example.com/dashboard#invitation=…'], ...SECRET }),
  },
  { title: 'InvitationLink' },
)

export const InvitationReference = referenceTo('invitation')
export const DeletedInvitation = deletedOf('invitation')
