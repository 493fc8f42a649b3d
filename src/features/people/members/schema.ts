import Type from 'typebox'
import { deletedOf, Email, Id, oneOf, referenceTo, Timestamp } from '../../../kernel/http/shapes.ts'
import { ROLES } from '../schema.ts'

export const Role = oneOf(ROLES)

/** Their id is that of the person. */
export const MemberItem = Type.Object(
  { id: Id, email: Email, name: Type.String(), role: Role, created_at: Timestamp },
  { title: 'Member' },
)

export const UpdateMember = Type.Object({ role: Role }, { title: 'UpdateMember' })

export const MemberReference = referenceTo('member')
export const DeletedMember = deletedOf('member')
