import Type from 'typebox'
import { ACTOR_KINDS } from '../../kernel/audit/schema.ts'
import { Id, nullable, oneOf, Timestamp } from '../../kernel/http/shapes.ts'

export { OTHER_ACTIONS } from '../../kernel/audit/schema.ts'

/** `null` where nobody in particular acted, or nothing in particular was changed. */
export const AuditEventItem = Type.Object(
  {
    id: Type.String({ ...Id, description: 'For requests, also the id of the log entry.' }),
    created_at: Timestamp,
    actor: Type.Object({
      type: oneOf(ACTOR_KINDS),
      id: nullable(Type.String()),
      name: nullable(Type.String({ description: 'As of the event.', examples: ['ada@example.com'] })),
    }),
    action: Type.String({
      description: 'The id of the operation, or what was done without one.',
      examples: ['topics.create'],
    }),
    object_id: nullable(Type.String()),
    details: nullable(Type.Record(Type.String(), Type.Unknown())),
    ip_address: nullable(Type.String({ examples: ['192.0.2.7'] })),
    user_agent: nullable(Type.String()),
  },
  { title: 'AuditEventItem' },
)

export const AuditFilter = Type.Object({
  actor_id: Type.Optional(Type.String({ ...Id, description: 'Id of a person, a key or a grant.' })),
  action: Type.Optional(Type.String({ maxLength: 100, pattern: '^[a-z._-]+$', examples: ['topics.create'] })),
  object_id: Type.Optional(
    Type.String({ maxLength: 320, pattern: '^[^\\s%]+$', description: 'Id of what was changed.' }),
  ),
  created_after: Type.Optional(Type.String({ description: 'ISO 8601.' })),
  created_before: Type.Optional(Type.String({ description: 'ISO 8601.' })),
})
