import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PageOfOne } from './search-params.ts'
import type { Selection } from './selection.ts'
import { texts } from './texts.ts'

export interface Column<One> {
  readonly name: string
  readonly cell: (item: One) => ReactNode
  /**
   * What it is to the row. In a table, `main` is a long text that takes the most room and `end` is for buttons. On a narrow screen a row is a
   * card: its first line is the `title` (the first column, if none is) and the `time`; its second the `status` and the others, but for `aside`.
   */
  readonly kind?: 'title' | 'main' | 'status' | 'time' | 'aside' | 'end'
}

export interface RowsProps<One> {
  readonly label: string
  readonly columns: readonly Column<One>[]
  /** Where a row leads to. The link is in the first column and covers the row. */
  readonly pageOfOne?: PageOfOne
  /** What the list is filtered by: goes along with the link, so that the page of one knows what is above and below it. */
  readonly listInput?: object
  readonly onChoose?: (item: One) => void
  /** Rows have a checkbox then; `nameOf` says which one it selects. */
  readonly selection?: Selection
  readonly nameOf?: (item: One) => string
}

export interface ShownRows<One> extends RowsProps<One> {
  readonly items: readonly One[]
  readonly isStale?: boolean
}

interface RowLinkProps<One> extends Pick<RowsProps<One>, 'pageOfOne' | 'listInput' | 'onChoose'> {
  readonly item: One
  readonly children: ReactNode
}

/** What a row does when it is chosen. It covers the row. */
export function RowLink<One extends { id: string }>(props: RowLinkProps<One>) {
  const { item, pageOfOne, listInput, onChoose, children } = props
  if (pageOfOne)
    return (
      <Link className="row-link" to={pageOfOne} params={{ id: item.id }} {...(listInput && { state: { listInput } })}>
        {children}
      </Link>
    )
  if (!onChoose) return children
  return (
    <button type="button" className="row-link" onClick={() => onChoose(item)}>
      {children}
    </button>
  )
}

interface SelectOneProps {
  readonly id: string
  readonly name: string
  readonly selection: Selection
}

export const SelectOne = ({ id, name, selection: { selected, select } }: SelectOneProps) => (
  <input
    type="checkbox"
    aria-label={texts.selection.row(name)}
    checked={selected.includes(id)}
    onChange={() => {}}
    onClick={(event) => select(id, event.shiftKey)}
  />
)

interface SelectAllProps {
  readonly label: string
  readonly items: readonly unknown[]
  readonly selection: Selection
}

export function SelectAll({ label, items, selection: { selected, selectAll, clearSelection } }: SelectAllProps) {
  return (
    <input
      type="checkbox"
      aria-label={selected.length > 0 ? texts.selection.none : texts.selection.page(label)}
      checked={selected.length > 0 && selected.length === items.length}
      ref={(box) => {
        if (box) box.indeterminate = selected.length > 0 && selected.length < items.length
      }}
      onChange={selected.length > 0 ? clearSelection : selectAll}
    />
  )
}
