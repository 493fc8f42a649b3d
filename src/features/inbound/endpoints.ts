import { IdParams } from '../../kernel/http/shapes.ts'
import { searchRows } from '../../kernel/search/list.ts'
import { endpoint, list } from '../definitions.ts'
import { presentReceived, readWhatArrived, requireReceived } from './actions.ts'
import { listedRows } from './queries.ts'
import { ReceivedEmail, ReceivedEmailFilter, ReceivedEmailItem, ReceivedEmailQuery } from './schema.ts'
import { receivedSearch } from './search.ts'

export const receivedEmailEndpoints = [
  list({
    id: 'emails.receiving.list',
    route: 'GET /emails/receiving',
    summary: 'List received emails',
    item: ReceivedEmailItem,
    query: ReceivedEmailFilter,
    unlimited: 'all',
    async rows({ query: { q }, window, services, actor: { team }, actor }) {
      await readWhatArrived(services, actor)
      const rows = listedRows(team, services.clock.of(team).now())
      return searchRows(services.db, team, { searchable: receivedSearch, q, rows, window })
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
