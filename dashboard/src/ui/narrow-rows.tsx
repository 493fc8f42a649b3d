import { type Column, RowLink, SelectAll, SelectOne, type ShownRows } from './row-parts.tsx'
import { texts } from './texts.ts'

/** Rows where there is no room for a table. */
export function NarrowRows<One extends { id: string }>(props: ShownRows<One>) {
  const { label, items, columns, selection, nameOf, isStale = false } = props
  const title = columns.find(({ kind }) => kind === 'title') ?? columns[0]!
  const ofKind = (wanted: Column<One>['kind']) => columns.filter((column) => column !== title && column.kind === wanted)
  const [times, states, ends] = [ofKind('time'), ofKind('status'), ofKind('end')]
  const others = columns.filter((column) => column !== title && (column.kind === 'main' || column.kind === undefined))
  return (
    <>
      {selection && (
        <p className="select-cards">
          <SelectAll label={label} items={items} selection={selection} />
          <span className="muted" aria-hidden="true">
            {texts.selection.all}
          </span>
        </p>
      )}
      <ul className="card-rows" aria-label={label} aria-busy={isStale}>
        {items.map((item) => (
          <li key={item.id} data-row={item.id} className={selection?.selected.includes(item.id) ? 'picked' : ''}>
            {selection && <SelectOne id={item.id} name={nameOf?.(item) ?? item.id} selection={selection} />}
            <div>
              <p className="card-title">
                <span>
                  <RowLink {...props} item={item}>
                    {title.cell(item)}
                  </RowLink>
                </span>
                <small className="muted">{times[0]?.cell(item)}</small>
              </p>
              <p className="card-more">
                {[...states, ...others].map(({ name, cell, kind }) => (
                  <span key={name} className={kind}>
                    {cell(item)}
                  </span>
                ))}
              </p>
            </div>
            {ends.map(({ name, cell }) => (
              <span key={name} className="end">
                {cell(item)}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
}
