import Type from 'typebox'
import { Id, nullable, objectOf, Timestamp } from '../../http/shapes.ts'

export const LogItem = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    endpoint: Type.String({ examples: ['/contacts'] }),
    method: Type.String(),
    response_status: Type.Integer(),
    user_agent: nullable(Type.String()),
  },
  { title: 'LogItem' },
)

/** Bodies are JSON of any kind, secrets blanked; null when there was none or it was too large to keep. */
export const LogEntry = Type.Object(
  { ...objectOf('log', LogItem).properties, request_body: Type.Unknown(), response_body: Type.Unknown() },
  { title: 'Log' },
)
