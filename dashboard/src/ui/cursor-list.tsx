import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef } from 'react'
import type { Input, Item, ListId } from '../api.ts'
import { useCall } from '../queries.ts'
import { endpointBeside, useIsAllowed } from './allowed.tsx'
import { hasNewer, Pager } from './pager.tsx'
import type { RowsProps } from './row-parts.tsx'
import { Rows } from './rows.tsx'
import { useSearchParams } from './search-params.ts'
import { useSelection } from './selection.ts'
import { useSelectionKeys } from './selection-keys.ts'
import { Failed, Loading } from './states.tsx'

export type { Column } from './row-parts.tsx'
export { Rows } from './rows.tsx'

export interface CursorListProps<Id extends ListId> extends Omit<RowsProps<Item<Id>>, 'selection'> {
  readonly list: Id
  /** Besides the page that is shown. */
  readonly input: Omit<Input<Id>, 'limit' | 'after' | 'before'>
  readonly empty: ReactNode
  readonly refetchInterval?: (items: readonly Item<Id>[]) => number | false
  /** What can be done with many at once. Rows can be selected then. */
  readonly bulk?: (items: readonly Item<Id>[], clear: () => void) => ReactNode
}

const PAGE = 25

/** What the type of any list has in common. */
interface ListReply<One> {
  readonly has_more: boolean
  readonly data: readonly One[]
}

/** Every list of the dashboard is shown here, so that all of them page in the same way, and as the API does: by cursor. */
export function CursorList<Id extends ListId>(props: CursorListProps<Id>) {
  const { list, input, empty, refetchInterval, pageOfOne, bulk, ...rows } = props
  // A page of one that cannot be read is not linked to.
  const isReadable = useIsAllowed(endpointBeside(list, 'get'))
  const { words } = useSearchParams()
  const { after, before } = words
  // The compiler does not see that the input of every list is its own and that of a page, nor that all of them answer alike.
  const asked = { limit: PAGE, ...input, after, before } as unknown as Input<Id>
  const options = {
    placeholderData: keepPreviousData,
    ...(refetchInterval && {
      refetchInterval: ({ state }: { state: { data: unknown } }) =>
        refetchInterval((state.data as ListReply<Item<Id>> | undefined)?.data ?? []),
    }),
  }
  const page = useCall(list, asked, options) as UseQueryResult<unknown> as UseQueryResult<ListReply<Item<Id>>>
  const shown = page.data?.data
  const selection = useSelection(useMemo(() => (shown ?? []).map(({ id }) => id), [shown]))
  useSelectionKeys(bulk ? selection : null)
  const top = useRef<HTMLDivElement>(null)
  if (page.isPending) return <Loading />
  if (page.isError) return <Failed error={page.error} onRetry={() => page.refetch()} />
  const { data: items, has_more } = page.data
  if (items.length === 0 && !hasNewer(words, has_more)) return empty
  const { selected, clearSelection } = selection
  return (
    <div className="list" ref={top}>
      <Rows
        {...rows}
        listInput={input}
        {...(pageOfOne && isReadable && { pageOfOne })}
        {...(bulk && { selection })}
        items={items}
        isStale={page.isPlaceholderData}
      />
      {bulk &&
        selected.length > 0 &&
        bulk(
          items.filter(({ id }) => selected.includes(id)),
          clearSelection,
        )}
      <Pager label={props.label} items={items} hasMore={has_more} top={top} />
    </div>
  )
}
