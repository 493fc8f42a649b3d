import Type from 'typebox'
import { Id, nullable, objectOf, oneOf, Timestamp } from '../../http/shapes.ts'

export const LogItem = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    endpoint: Type.String({ examples: ['/contacts'] }),
    method: Type.String(),
    response_status: Type.Integer(),
    user_agent: nullable(Type.String()),
    actor: nullable(
      Type.Object(
        {
          type: oneOf(['api_key', 'user', 'oauth_token']),
          id: Id,
          /** Null: there is no such key or person any more. */
          name: nullable(
            Type.String({ description: 'What the key or the program is called, or the address of the person.' }),
          ),
        },
        { description: 'Who called. Null in entries from before this was written down.' },
      ),
    ),
  },
  { title: 'LogItem' },
)

/** Bodies are JSON of any kind, secrets blanked; null when there was none or it was too large to keep. */
export const LogEntry = Type.Object(
  { ...objectOf('log', LogItem).properties, request_body: Type.Unknown(), response_body: Type.Unknown() },
  { title: 'Log' },
)
