import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Input, Item, ListId } from '../api.ts'
import { useCall } from '../queries.ts'
import { endpointBeside, useIsAllowed } from './allowed.tsx'
import { Button } from './button.tsx'
import { type PageOfOne, useSearchParams } from './search-params.ts'
import { Failed, Loading } from './states.tsx'
import './cursor-list.css'
import './table.css'

export interface Column<One> {
  readonly name: string
  readonly cell: (item: One) => ReactNode
  /** `main` takes the room that is left; `aside` goes first when there is little. */
  readonly kind?: 'main' | 'aside' | 'end'
}

export interface CursorListProps<Id extends ListId> extends RowsProps<Item<Id>> {
  readonly list: Id
  /** Besides the page that is shown. */
  readonly input: Omit<Input<Id>, 'limit' | 'after' | 'before'>
  readonly empty: ReactNode
  readonly refetchInterval?: (items: readonly Item<Id>[]) => number | false
}

const PAGE = 25

/** What the type of any list has in common. */
interface ListReply<One> {
  readonly has_more: boolean
  readonly data: readonly One[]
}

/** Every list of the dashboard is shown here, so that all of them page in the same way, and as the API does: by cursor. */
export function CursorList<Id extends ListId>(props: CursorListProps<Id>) {
  const { list, input, empty, refetchInterval, pageOfOne, ...rows } = props
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
  if (page.isPending) return <Loading />
  if (page.isError) return <Failed error={page.error} onRetry={() => page.refetch()} />
  const { data: items, has_more } = page.data
  if (items.length === 0 && !hasNewer(words, has_more)) return empty
  return (
    <>
      <Rows {...rows} {...(pageOfOne && isReadable && { pageOfOne })} items={items} isStale={page.isPlaceholderData} />
      <Pager label={props.label} items={items} hasMore={has_more} />
    </>
  )
}

interface Cursors {
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** Whether something is above this page of a list. */
export const hasNewer = ({ after, before }: Cursors, hasMore: boolean) =>
  after !== undefined || (before !== undefined && hasMore)

interface PagerProps {
  readonly label: string
  readonly items: readonly { readonly id: string }[]
  readonly hasMore: boolean
}

/** To the pages before and after this one. Nothing where there is only one. */
export function Pager({ label, items, hasMore }: PagerProps) {
  const { words, choose } = useSearchParams()
  const isNewer = hasNewer(words, hasMore)
  const isOlder = words.before !== undefined || hasMore
  if (!isOlder && !isNewer) return null
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      <Button
        disabled={!isNewer}
        onClick={() => choose(items.length > 0 ? { before: items[0]!.id } : {})}
        data-key="newer"
      >
        Newer
      </Button>
      <Button
        disabled={!isOlder || items.length === 0}
        onClick={() => choose({ after: items.at(-1)!.id })}
        data-key="older"
      >
        Older
      </Button>
    </nav>
  )
}

interface RowsProps<One> {
  readonly label: string
  readonly columns: readonly Column<One>[]
  /** Where a row leads to. The link is in the first column and covers the row. */
  readonly pageOfOne?: PageOfOne
  readonly onChoose?: (item: One) => void
}

interface ShownRows<One> extends RowsProps<One> {
  readonly items: readonly One[]
  readonly isStale?: boolean
}

/** The rows alone, for a list that is short and always shown whole. */
export function Rows<One extends { id: string }>(props: ShownRows<One>) {
  const { label, items, columns, pageOfOne, onChoose, isStale = false } = props
  const isActive = pageOfOne !== undefined || onChoose !== undefined
  return (
    <div className="table-wrap">
      <table className={isActive ? 'active' : ''} aria-label={label} aria-busy={isStale}>
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th key={name} className={kind} scope="col">
                {kind === 'end' ? <span className="hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              {columns.map(({ name, cell, kind }, index) => (
                <td key={name} className={kind}>
                  {index > 0 || !isActive ? (
                    cell(item)
                  ) : pageOfOne ? (
                    <Link className="row-link" to={pageOfOne} params={{ id: item.id }}>
                      {cell(item)}
                    </Link>
                  ) : (
                    <button type="button" className="row-link" onClick={() => onChoose!(item)}>
                      {cell(item)}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
