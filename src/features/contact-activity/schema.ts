import Type from 'typebox'
import { Id, nullable, oneOf, Timestamp } from '../../kernel/http/shapes.ts'

export const ACTIVITY_TYPES = ['email', 'received_email', 'automation_run', 'suppression'] as const

/** One thing that happened to a contact, newest first. `type` and `id` name the object that tells more. */
export const ContactActivity = Type.Object(
  {
    id: Id,
    type: oneOf(ACTIVITY_TYPES),
    title: nullable(Type.String({ description: 'The subject of an email, the name of an automation.' })),
    status: nullable(
      Type.String({ description: 'The last event of an email, the state of a run, the origin of a suppression.' }),
    ),
    broadcast_id: nullable(Id),
    created_at: Timestamp,
  },
  { title: 'ContactActivity' },
)
