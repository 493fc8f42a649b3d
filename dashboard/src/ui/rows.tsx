import { type ReactNode, useSyncExternalStore } from 'react'
import { NarrowRows } from './narrow-rows.tsx'
import { RowLink, SelectAll, SelectOne, type ShownRows } from './row-parts.tsx'
import './rows.css'
import './table.css'

const NARROW = matchMedia('(max-width: 600px)')

const subscribe = (listener: () => void) => {
  NARROW.addEventListener('change', listener)
  return () => NARROW.removeEventListener('change', listener)
}

const useIsNarrow = () => useSyncExternalStore(subscribe, () => NARROW.matches)

/** The rows alone, for a list that is short and always shown whole. A table, and on a narrow screen cards. */
export function Rows<One extends { id: string }>(props: ShownRows<One>) {
  return useIsNarrow() ? <NarrowRows {...props} /> : <TableRows {...props} />
}

function TableRows<One extends { id: string }>(props: ShownRows<One>) {
  const { label, items, columns, selection, nameOf, isStale = false } = props
  const isActive = props.pageOfOne !== undefined || props.onChoose !== undefined
  return (
    <div className="table-wrap">
      <table className={isActive ? 'active' : ''} aria-label={label} aria-busy={isStale}>
        <thead>
          <tr>
            {selection && (
              <th className="pick" scope="col">
                <SelectAll label={label} items={items} selection={selection} />
              </th>
            )}
            {columns.map(({ name, kind }) => (
              <th key={name} className={kind} scope="col">
                {kind === 'end' ? <span className="hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id} data-row={item.id} className={selection?.selected.includes(item.id) ? 'picked' : ''}>
              {selection && (
                <td className="pick">
                  <SelectOne id={item.id} name={nameOf?.(item) ?? item.id} selection={selection} />
                </td>
              )}
              {columns.map(({ name, cell, kind }, index) => {
                const content = cell(item)
                return (
                  <td key={name} className={kind} title={titleOf(content)}>
                    {index > 0 ? (
                      content
                    ) : (
                      <RowLink {...props} item={item}>
                        {content}
                      </RowLink>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A plain text may be cut off: then the pointer shows it whole. Other cells say themselves what they are. */
const titleOf = (content: ReactNode) => (typeof content === 'string' ? content : undefined)
