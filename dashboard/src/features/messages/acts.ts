import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { call, type Input, type Reply } from '../../api.ts'
import { refetchMatching, sandboxOf } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { isQueueBusy, runSerially, whenQueueIdle } from '../../ui/serial-queue.ts'
import type { MessageRow, MessageScope } from './message-scope.ts'
import { texts } from './texts.ts'

/** So many calls at a time: a browser has no more connections for one host anyway. */
const AT_ONCE = 4

async function forEach(ids: readonly string[], run: (id: string) => Promise<unknown>) {
  const left = [...ids]
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await run(id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

type Shown = Partial<Pick<MessageRow, 'is_read' | 'labels'>>

// Marks are set in order: who marks as unread what was just opened means it. What is read of the list meanwhile may not have them yet,
// so they are shown once more when the service has all of them.
const MARKS = 'marks of messages'
const unconfirmed: (readonly [ids: readonly string[], marks: Shown])[] = []

/** Rows with the marks that the service has not confirmed yet: a list that was asked for before one was set does not hide it. */
export const withUnconfirmed = (rows: readonly MessageRow[]): readonly MessageRow[] =>
  unconfirmed.length === 0 ? rows : rows.map((row) => Object.assign({}, row, ...marksOf(row.id)))

const marksOf = (id: string) => unconfirmed.filter(([ids]) => ids.includes(id)).map(([, marks]) => marks)

/** Of very much mail the service does as much as fits into one call. */
async function inParts(run: () => Promise<{ count: number; hasMore: boolean }>): Promise<number> {
  for (let sum = 0; ; ) {
    const { count, hasMore } = await run()
    sum += count
    if (!hasMore) return sum
  }
}

export type Marks = Input<'messages.update'>['body']

/** What can be done to mail. A mark is seen at once, and the list is not read anew for it unless it is refused. */
export function useMessageActs({ sandbox }: MessageScope) {
  const queries = useQueryClient()
  const isHere = (...wanted: readonly string[]) => ({
    predicate: ({ queryKey }: { readonly queryKey: QueryKey }) =>
      wanted.includes(String(queryKey[0])) && sandboxOf(queryKey) === sandbox,
  })
  const show = (ids: readonly string[], marks: Shown) => {
    const isMarked = new Set(ids)
    queries.setQueriesData<Reply<'messages.list'>>(
      isHere('messages.list'),
      (page) => page && { ...page, data: page.data.map((one) => (isMarked.has(one.id) ? { ...one, ...marks } : one)) },
    )
    queries.setQueriesData<Reply<'messages.get'>>(
      isHere('messages.get'),
      (message) => message && (isMarked.has(message.id) ? { ...message, ...marks } : message),
    )
  }
  const settle = () => {
    if (isQueueBusy(MARKS)) return
    for (const [ids, marks] of unconfirmed.splice(0)) show(ids, marks)
    // What is still being read was asked for before.
    const filter = { ...isHere('messages.list', 'messages.get'), fetchStatus: 'fetching' } as const
    const asked = new Set(queries.getQueryCache().findAll(filter))
    void refetchMatching(queries, (query) => asked.has(query))
  }
  /** Other lists are read anew when somebody goes there: what is gone is not shown for a moment. */
  const forgetLists = () => queries.removeQueries({ ...isHere('messages.list'), type: 'inactive' })
  return {
    mark: useAct({
      run: async ({ ids, marks }: { ids: readonly string[]; marks: Marks }) => {
        const shown: Shown = {
          ...(marks.is_read !== undefined && { is_read: marks.is_read }),
          ...(marks.labels && { labels: marks.labels }),
        }
        const mark = [ids, shown] as const
        show(ids, shown)
        unconfirmed.push(mark)
        try {
          await runSerially(MARKS, () =>
            forEach(ids, (id) => call('messages.update', { id, body: marks }, { sandbox })),
          )
        } catch (error) {
          unconfirmed.splice(unconfirmed.indexOf(mark), 1)
          void refetchMatching(queries, isHere('messages.list', 'messages.get').predicate)
          throw error
        } finally {
          settle()
        }
      },
      refresh: [],
    }),
    remove: useAct({
      run: async (ids: readonly string[]) => {
        await forEach(ids, (id) => call('messages.remove', { id }, { sandbox }))
        forgetLists()
        return ids.length
      },
      done: texts.toasts.deleted,
      refresh: ['messages.list', 'emails'],
    }),
    markAllRead: useAct({
      run: (filter: Input<'messages.remove-all'>) =>
        inParts(async () => {
          await whenQueueIdle(MARKS)
          const body = { is_read: true }
          const part = await call('messages.update-all', { ...filter, is_read: 'false', body }, { sandbox })
          return { count: part.updated, hasMore: part.has_more }
        }),
      done: texts.toasts.markedAsRead,
      refresh: ['messages.list', 'messages.get'],
    }),
    removeAll: useAct({
      run: async (filter: Input<'messages.remove-all'>) => {
        const count = await inParts(async () => {
          const part = await call('messages.remove-all', filter, { sandbox })
          return { count: part.deleted, hasMore: part.has_more }
        })
        forgetLists()
        return count
      },
      done: texts.toasts.deleted,
      refresh: ['messages.list', 'emails'],
    }),
  }
}

export type MessageActs = ReturnType<typeof useMessageActs>
