import { keepPreviousData } from '@tanstack/react-query'
import type { Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { searchInput } from '../../ui/filter-values.ts'
import { asWritten, useSearchParams } from '../../ui/search-params.ts'
import { withUnconfirmed } from './acts.ts'
import { type Filter, TERMS } from './filter.ts'
import type { MessageRow, MessageScope } from './message-scope.ts'

const PAGE = 50
const NONE: readonly MessageRow[] = []

/** The page of mail that the address names, with what it is filtered by and which message is open. */
export function useMessages({ sandbox }: MessageScope) {
  const { words, choose } = useSearchParams()
  const { after, before, message, q } = words
  const terms: Filter = Object.fromEntries(TERMS.map((name) => [name, words[name]]))
  const filter: Filter = { q, ...terms }
  const page = useCall(
    'messages.list',
    { ...asInput(filter), limit: PAGE, after, before },
    { sandbox, placeholderData: keepPreviousData },
  )
  return {
    page,
    rows: withUnconfirmed(page.data?.data ?? NONE),
    filter,
    opened: message,
    /** Another filter is another list. */
    narrow: (changes: Filter) => choose({ ...changes, message: undefined }),
    /** The list stays where it is, unless the message is on another page of it. */
    open: (id: string | undefined, page: Cursor = { after, before }) => choose({ ...page, message: id }),
  }
}

interface Cursor {
  readonly after?: string | undefined
  readonly before?: string | undefined
}

export type Messages = ReturnType<typeof useMessages>

/** As the endpoints take it: what nobody filtered by is left out. */
export const asInput = ({ q, direction, is_read, ...rest }: Filter): Input<'messages.remove-all'> => ({
  ...rest,
  q: searchInput(q),
  direction: asWritten(direction),
  is_read: asWritten(is_read),
})
