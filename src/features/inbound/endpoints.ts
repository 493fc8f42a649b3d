import { IdParams } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
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
    async rows({ services, actor }) {
      await readWhatArrived(services, actor)
      return listedRows(actor.team, services.clock.of(actor.team).now())
    },
  }),
  endpoint({
    id: 'emails.receiving.get',
    access: 'content',
    route: 'GET /emails/receiving/:id',
    summary: 'Retrieve a received email',
    params: IdParams,
    query: ReceivedEmailQuery,
    reply: ReceivedEmail,
    run: async ({ params, query, services, actor }) =>
      presentReceived(
        services,
        actor,
        await requireReceived(services, actor, params.id),
        query.html_format ?? 'data_uri',
      ),
  }),
]
