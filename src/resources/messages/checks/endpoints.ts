import { IdParams } from '../../../http/shapes.ts'
import { endpoint } from '../../definitions.ts'
import { notYet } from '../../not-yet.ts'
import { CheckQuery, MessageChecks } from './schema.ts'

export const checkEndpoints = [
  endpoint({
    id: 'messages.checks',
    route: 'GET /messages/:id/checks',
    summary: 'Check a message',
    description:
      'Support in mail clients, links, images, dark mode, clipping, text part, unsubscribe headers, spam score.',
    access: 'content',
    params: IdParams,
    query: CheckQuery,
    reply: MessageChecks,
    run: async () => notYet(),
  }),
]
