import { list } from '../../definitions.ts'
import { notYet } from '../not-yet.ts'
import { InboxParams } from '../schema.ts'
import { ThreadFound, ThreadSearch } from '../threads/schema.ts'

export const searchEndpoints = [
  list({
    id: 'inboxes.threads.search',
    route: 'GET /inboxes/:inbox/threads/search',
    summary: 'Search threads',
    access: 'content',
    params: InboxParams,
    query: ThreadSearch,
    item: ThreadFound,
    unlimited: 20,
    rows: () => notYet(),
  }),
]
