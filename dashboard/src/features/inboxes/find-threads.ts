import { call, type Reply } from '../../api.ts'
import { askFor, readSearch } from './search-query.ts'

/** A thread of any inbox that was found. */
export type FoundThread = Reply<'inboxes.threads.search-all'>['data'][number]

interface Page {
  readonly limit: number
  readonly after?: string | undefined
}

/** What a text finds in all inboxes, the newest first: words, "phrases", -words and terms such as `from:anna`. */
export function findThreads(text: string, { limit, after }: Page) {
  // Labels are those of an inbox.
  const { labels: _, ...input } = askFor(readSearch(text), []).input
  return call('inboxes.threads.search-all', { ...input, limit, ...(after && { after }) })
}

/** Where a thread that was found is read. */
export const linkToThread = ({ id, inbox_id }: Pick<FoundThread, 'id' | 'inbox_id'>, text: string) =>
  ({ to: '/inboxes/$inbox', params: { inbox: inbox_id }, search: { q: text, thread: id } }) as const
