import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import { keyOf } from '../../../queries.ts'
import type { Email } from '../compose/answer.ts'

const PAGE = 20
/** The list begins with the oldest, and people with the newest: the page before the greatest of all ids is the last one. */
const END = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** What is asked for: also ahead of who is going to read them. */
export const emailsOf = (inbox: string, thread: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOf('inboxes.threads.emails.list', { inbox, thread }), 'pages'],
    queryFn: ({ pageParam }) => call('inboxes.threads.emails.list', { inbox, thread, limit: PAGE, before: pageParam }),
    initialPageParam: END,
    getNextPageParam: ({ has_more, data }) => (has_more ? data[0]?.id : undefined),
  })

/** The emails of a thread, the oldest first, from the last ones on back. */
export function useEmails(inbox: string, thread: string) {
  const query = useInfiniteQuery(emailsOf(inbox, thread))
  return {
    items: [...(query.data?.pages ?? [])].reverse().flatMap(({ data }) => data) as readonly Email[],
    isPending: query.isPending,
    error: query.data ? null : query.error,
    refetch: query.refetch,
    hasEarlier: query.hasNextPage,
    isFetchingEarlier: query.isFetchingNextPage,
    fetchEarlier: query.fetchNextPage,
  }
}
