import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, type ListReply } from '../api.ts'
import { Button } from './button.tsx'
import { Failed, Loading } from './states.tsx'

export interface Column<Item> {
  readonly name: string
  readonly cell: (item: Item) => ReactNode
  /** `main` takes the room that is left; `aside` goes first when there is little. */
  readonly kind?: 'main' | 'aside' | 'end'
}

interface CursorListProps<Item> {
  readonly label: string
  /** The first words of the key; the page that is shown is added. */
  readonly queryKey: readonly string[]
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly columns: readonly Column<Item>[]
  /** Where a row leads to. The link is in the first column and covers the row. */
  readonly linkTo?: (item: Item) => string
  readonly onChoose?: (item: Item) => void
  readonly empty: ReactNode
  readonly idOf?: (item: Item) => string
  readonly refetchInterval?: (items: readonly Item[]) => number | false
}

const PAGE = 25

interface Cursor {
  readonly after?: string
  readonly before?: string
}

/** Every list of the dashboard is shown here, so that all of them page in the same way, and as the API does: by cursor. */
export function CursorList<Item>(props: CursorListProps<Item>) {
  const { queryKey, path, query = {}, empty, idOf = (item) => (item as { id: string }).id } = props
  const { after, before } = useSearch({ strict: false }) as Cursor
  const navigate = useNavigate()
  const page = useQuery({
    queryKey: [...queryKey, 'list', { ...query, after, before }],
    queryFn: () => api.get<ListReply<Item>>(path, { limit: PAGE, ...query, after, before }),
    placeholderData: keepPreviousData,
    ...(props.refetchInterval && {
      refetchInterval: (state: { state: { data?: ListReply<Item> | undefined } }) =>
        props.refetchInterval!(state.state.data?.data ?? []),
    }),
  })
  if (page.isPending) return <Loading />
  if (page.isError) return <Failed error={page.error} onRetry={() => page.refetch()} />
  const { data: items, has_more } = page.data
  const go = (cursor: Cursor) =>
    navigate({
      to: '.',
      search: ((old: Record<string, unknown>) => ({ ...old, after: undefined, before: undefined, ...cursor })) as never,
    })
  const hasOlder = before !== undefined || has_more
  const hasNewer = after !== undefined || (before !== undefined && has_more)
  if (items.length === 0 && !hasNewer) return empty
  return (
    <>
      <Rows {...props} items={items} idOf={idOf} isStale={page.isPlaceholderData} />
      {(hasOlder || hasNewer) && (
        <nav className="pager" aria-label={`Pages of ${props.label}`}>
          <Button
            disabled={!hasNewer}
            onClick={() => go(items.length > 0 ? { before: idOf(items[0]!) } : {})}
            data-key="newer"
          >
            Newer
          </Button>
          <Button
            disabled={!hasOlder || items.length === 0}
            onClick={() => go({ after: idOf(items.at(-1)!) })}
            data-key="older"
          >
            Older
          </Button>
        </nav>
      )}
    </>
  )
}

interface RowsProps<Item> extends CursorListProps<Item> {
  readonly items: readonly Item[]
  readonly idOf: (item: Item) => string
  readonly isStale: boolean
}

function Rows<Item>({ label, items, columns, linkTo, onChoose, idOf, isStale }: RowsProps<Item>) {
  const isActive = linkTo !== undefined || onChoose !== undefined
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
            <tr key={idOf(item)}>
              {columns.map(({ name, cell, kind }, index) => (
                <td key={name} className={kind}>
                  {index > 0 || !isActive ? (
                    cell(item)
                  ) : linkTo ? (
                    <Link className="row-link" to={linkTo(item)}>
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
