import { IdParams } from '../../../kernel/http/shapes.ts'
import { endpoint } from '../../definitions.ts'
import { checkMessage } from './actions.ts'
import { CheckQuery, MessageChecks } from './schema.ts'

export const checkEndpoints = [
  endpoint({
    id: 'messages.checks',
    route: 'GET /messages/:id/checks',
    summary: 'Check a message',
    description:
      'Support in mail clients, links, images, dark mode, clipping, text part, unsubscribe headers, sender, DMARC, tracking, spam score.',
    access: 'content',
    params: IdParams,
    query: CheckQuery,
    reply: MessageChecks,
    run: ({ params, query, services, actor }) =>
      checkMessage(services, actor, { id: params.id, asksServers: query.links === 'true' }),
  }),
]
