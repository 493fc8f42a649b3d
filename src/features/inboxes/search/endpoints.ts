import { list } from '../../definitions.ts'
import { requireInbox } from '../actions.ts'
import { fileArrivals } from '../arrivals.ts'
import { InboxParams } from '../schema.ts'
import { ThreadFound, ThreadSearch } from '../threads/schema.ts'
import { readCriteria } from './criteria.ts'
import { findThreads } from './finding.ts'
import { foundRows, showMatches } from './queries.ts'

export const searchEndpoints = [
  list({
    id: 'inboxes.threads.search',
    route: 'GET /inboxes/:inbox/threads/search',
    summary: 'Search threads',
    description:
      'Each thread is listed once, with the newest of its emails that fits; the newest of these comes first. `after` and `before` take the id of a thread, or a `matched_email_id`, which stays where it is when more mail comes.',
    access: 'content',
    params: InboxParams,
    query: ThreadSearch,
    item: ThreadFound,
    unlimited: 20,
    async rows({ params, query, window, services, actor }) {
      const { db } = services
      const { team } = actor
      const place = { team, inbox: (await requireInbox(db, team, params.inbox)).id }
      await fileArrivals(services, actor)
      const { search, wanted } = await readCriteria(db, place, query)
      const isOlder = window.direction === 'older'
      // One more than is shown says that there are more.
      const page = { cursor: window.cursor, isOlder, amount: window.limit! + 1 }
      const found = search ? await findThreads(db, search, page) : []
      return foundRows(place, await showMatches(db, place, found, wanted), isOlder)
    },
  }),
]
