import { list } from '../../definitions.ts'
import { requireInbox } from '../actions.ts'
import { fileArrivals } from '../arrivals.ts'
import { InboxParams } from '../schema.ts'
import { ThreadFound, ThreadFoundInInbox, ThreadSearch, ThreadSearchAll } from '../threads/schema.ts'
import { findInAllInboxes } from './all-inboxes.ts'
import { readCriteria } from './criteria.ts'
import { findThreads } from './finding.ts'
import { foundRows, showMatches } from './queries.ts'
import { readTerms } from './query.ts'

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
      const ref = { team, inbox: (await requireInbox(db, team, params.inbox)).id }
      await fileArrivals(services, actor)
      const { search, wanted } = await readCriteria(db, ref, query)
      const isOlder = window.direction === 'older'
      // One more than is shown says that there are more.
      const page = { cursor: window.cursor, isOlder, amount: window.limit! + 1 }
      const found = search ? await findThreads(db, search, page) : []
      return foundRows(team, await showMatches(db, team, found, wanted), { isOlder })
    },
  }),
  list({
    id: 'inboxes.threads.search-all',
    route: 'GET /inboxes/threads/search',
    summary: 'Search threads of all inboxes',
    description:
      'The same search in all inboxes of the team: each thread is listed once, with its inbox and the newest of its emails that fits; the newest of these comes first.',
    access: 'content',
    query: ThreadSearchAll,
    item: ThreadFoundInInbox,
    unlimited: 20,
    async rows({ query, window, services, actor }) {
      const { db } = services
      const { team } = actor
      await fileArrivals(services, actor)
      const isOlder = window.direction === 'older'
      const page = { cursor: window.cursor, isOlder, amount: window.limit! + 1 }
      const found = await findInAllInboxes(db, team, query, page)
      const terms = readTerms(query.query ?? '').wanted
      return foundRows(team, await showMatches(db, team, found, terms), { isOlder, showsInbox: true })
    },
  }),
]
