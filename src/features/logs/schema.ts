import Type from 'typebox'
import { Id, nullable, objectOf, oneOf, searchText, Timestamp } from '../../kernel/http/shapes.ts'

export const LogItem = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    endpoint: Type.String({ examples: ['/contacts'] }),
    method: Type.String(),
    response_status: Type.Integer(),
    duration_ms: nullable(
      Type.Integer({ description: 'Until it was answered. Null in entries from before durations were recorded.' }),
    ),
    user_agent: nullable(Type.String()),
    ip_address: nullable(
      Type.String({ description: 'Where the call came from. Null in entries from before this was written down.' }),
    ),
    actor: nullable(
      Type.Object(
        {
          type: oneOf(['api_key', 'user', 'oauth_token']),
          id: Id,
          /** Null in entries from before names were written down, when the key or person is gone. */
          name: nullable(
            Type.String({
              description: 'What the key or the program was called then, or the address of the person.',
            }),
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

/** What `q` can say of logs. A status is a code, or a class of codes like `4xx`. */
export const LOG_OPERATORS = ['status', 'before', 'after'] as const

export const LogFilter = Type.Object({
  q: Type.Optional(
    searchText(LOG_OPERATORS, 'words of the path, the method, the user agent, the IP address and who called'),
  ),
})
