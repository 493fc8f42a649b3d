import { endpoint } from '../../http/endpoint.ts'
import { list } from '../../http/list.ts'
import { IdParams } from '../../http/shapes.ts'
import { presentReceived, readWhatArrived, requireReceived } from './actions.ts'
import { listedRows } from './queries.ts'
import { ReceivedEmail, ReceivedEmailItem, ReceivedEmailQuery } from './schema.ts'

export const receivedEmailEndpoints = [
  list({
    id: 'emails.receiving.list',
    route: 'GET /emails/receiving',
    summary: 'List received emails',
    item: ReceivedEmailItem,
    unlimited: 'all',
    async rows({ context }) {
      await readWhatArrived(context)
      return listedRows(context.team, context.clock.now())
    },
  }),
  endpoint({
    id: 'emails.receiving.get',
    route: 'GET /emails/receiving/:id',
    summary: 'Retrieve a received email',
    params: IdParams,
    query: ReceivedEmailQuery,
    reply: ReceivedEmail,
    run: async ({ params, query, context }) =>
      presentReceived(context, await requireReceived(context, params.id), query.html_format ?? 'data_uri'),
  }),
]
