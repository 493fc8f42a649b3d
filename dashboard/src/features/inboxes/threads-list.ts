import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'
import { call, type Input } from '../../api.ts'
import { belongs, type ListFilter } from './folders.ts'
import { usePending, withPending } from './pending.ts'
import { anchorOf, type PageOfRows, type Rows, withPage } from './thread-rows.ts'

/** A list of threads: a folder, a label or what was searched for. */
export type ThreadQuery = {
  readonly inbox: string
  readonly filter: ListFilter
} & (
  | { readonly list: 'inboxes.threads.list'; readonly input: Omit<Input<'inboxes.threads.list'>, 'inbox'> }
  | { readonly list: 'inboxes.threads.search'; readonly input: Omit<Input<'inboxes.threads.search'>, 'inbox'> }
)

const FIRST = 50
const MORE = 100

const keyOfRows = ({ list, inbox, input }: ThreadQuery) => [list, { inbox, ...input }, 'rows'] as const

const readPage = ({ list, inbox, input }: ThreadQuery, after: string | null, limit: number): Promise<PageOfRows> =>
  call(list, { inbox, ...input, limit, ...(after !== null && { after }) })

const isSearch = ([list]: QueryKey) => list === 'inboxes.threads.search'

/**
 * The rows of a list. It is read page after page as somebody scrolls. When something has happened, its beginning is read again, and what is
 * in sight: never all that was read, which may be ten thousand rows.
 */
export function useThreads(query: ThreadQuery, isOn: boolean) {
  const queries = useQueryClient()
  const key = keyOfRows(query)
  const inSight = useRef(0)
  const reading = useRef<string | null>(null)
  const rows = useQuery({
    queryKey: key,
    enabled: isOn,
    // Another folder begins empty; who goes on writing a search keeps seeing what the last one found.
    placeholderData: (old, before) => (isSearch(key) && before && isSearch(before.queryKey) ? old : undefined),
    queryFn: async (): Promise<Rows> => {
      const known = () => queries.getQueryData<Rows>(key) ?? { threads: [], hasMore: true }
      const first = await readPage(query, null, FIRST)
      const anchor = anchorOf(known(), inSight.current)
      const isFar = inSight.current >= FIRST && anchor !== null
      const seen = isFar ? await readPage(query, anchor, FIRST) : null
      // What else was read meanwhile is in there.
      const now = withPage(known(), null, first)
      return seen ? withPage(now, anchor, seen) : now
    },
  })

  /** Once for all who ask while it runs. What fails is asked for again with the next scroll. */
  const readMore = () => {
    const last = queries.getQueryData<Rows>(key)?.threads.at(-1)
    if (!last || reading.current === last.id) return
    reading.current = last.id
    readPage(query, last.id, MORE)
      .then((page) => queries.setQueryData<Rows>(key, (old) => old && withPage(old, last.id, page)))
      .catch(() => {})
      .finally(() => {
        reading.current = null
      })
  }

  const pending = usePending()
  const { folders, labels } = query.filter
  const filterKey = `${folders} ${labels}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter by its content
  const threads = useMemo(
    () => withPending(rows.data?.threads ?? [], pending).filter((thread) => belongs(thread, query.filter)),
    [rows.data, pending, filterKey],
  )
  const onSight = useCallback((first: number) => {
    inSight.current = first
  }, [])
  return { threads, hasMore: rows.data?.hasMore ?? false, readMore, onSight, state: rows }
}
